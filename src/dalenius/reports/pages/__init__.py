"""Pages for people: what a release means, for whoever signs it."""

from dalenius.reports.pages.page import check_page as check_page, page as page, write_page as write_page
from dalenius.reports.pages.people import Judged as Judged, judged as judged
