"""What browsers run: the participant's page, the dashboard, and the device they share."""

from tacit.collector.pages.assemble import Page, device_js, hashes, page

__all__ = ["Page", "device_js", "hashes", "page"]
