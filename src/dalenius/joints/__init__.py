"""Joint laws of everybody's records: anything that can average a product of per-record factors."""

from dalenius.joints.gaussian import NormalRecords as NormalRecords
from dalenius.joints.joint import Belief as Belief, Joint as Joint, Stratum as Stratum, Subject as Subject
