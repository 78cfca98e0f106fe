"""Text out of pages, for the corpora of the comparison with other trainers."""

from compare.packages import strip_markup

PAGE = """<!DOCTYPE html><html><head><title>no text</title></head><body>
<script>no = "text" < 1</script><h1>A <em>page</em> of
  text</h1><p>One&nbsp;&amp; two<br>three <!-- no text -->four<p>five
<pre>  x = [1,
       2]</pre>after
<ul><li>six</li><li>s\u00e9ven \u4e2d</li></ul><nav>no text</nav></body></html>"""


def test_text_has_a_line_for_each_block_and_no_markup():
    text = strip_markup(PAGE.encode("utf-8"), is_html=True)
    assert text == (
        "A page of text\n\nOne & two\nthree four\n\nfive\n\nx = [1,\n       2]\nafter\n\n"
        "six\n\ns\u00e9ven \u4e2d\n"
    )
    page = b"<page xmlns='x:y'><title>Cut <gui>it</gui></title><p>See <link xref='y'/>.</p></page>"
    assert strip_markup(page, is_html=False) == "Cut it\n\nSee .\n"


def test_what_is_no_page_has_no_text():
    for page in (b"", b"<!-- nothing -->"):
        assert strip_markup(page, is_html=True) == "\n"
    assert strip_markup(b"a < b <unknown>c</unknown", is_html=True) == "a < b \nc\n"
