"""The icons, the picture for sharing and the web manifest, as a browser reads them."""

import json

from tests import factories
from tests.journeys.conftest import Visit
from voteweb.store import Store

ACCENT, WHITE, PAPER, NOTHING = [140, 47, 27, 255], [255, 255, 255, 255], [253, 252, 249, 255], [0, 0, 0, 0]
#: Returns the width and height of the image at an address, and the colours of its corner, a quarter from the left in
#: the middle, and in the middle of the arrow.
LOOK = """async (address) => {
  const image = new Image();
  image.src = address;
  await image.decode();
  const {naturalWidth: width, naturalHeight: height} = image;
  const canvas = new OffscreenCanvas(width, height).getContext("2d", {willReadFrequently: true});
  canvas.drawImage(image, 0, 0);
  const color = (x, y) => [...canvas.getImageData(width * x, height * y, 1, 1).data];
  return [width, height, color(0.01, 0.01), color(0.4, 0.25), color(0.5, 0.4)];
}"""
#: Icons with rounded corners, square ones, and the picture.
ICONS = [
    ("/favicon.ico", 48, 48, NOTHING),
    ("/static/icon-192.png", 192, 192, NOTHING),
    ("/static/icon-512.png", 512, 512, NOTHING),
    ("/static/icon-maskable-512.png", 512, 512, ACCENT),
    ("/apple-touch-icon.png", 180, 180, ACCENT),
    ("/static/share.png", 1200, 630, PAPER),
]


def test_browser_reads_icons_manifest_and_structured_data(visit: Visit, store: Store) -> None:
    factories.comment(store, factories.article(store), text="</script>")
    reader = visit().open("/a/1")  # a console message about the page would fail the test
    assert "DiscussionForumPosting" in reader.page.locator("script[type='application/ld+json']").inner_text()
    devtools = reader.page.context.new_cdp_session(reader.page)
    manifest = devtools.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert json.loads(manifest["data"])["share_target"]["action"] == "/submit"
    devtools.detach()
    for address, width, height, corner in ICONS:
        assert reader.page.evaluate(LOOK, address) == [width, height, corner, ACCENT, WHITE], address
