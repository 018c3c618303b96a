"""A spec: a model, a question and a promise, as TOML, JSON or Python objects.

A spec has one canonical text. It says what it asks in words and as JSON, and what its promises rest on.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import starmap
from pathlib import Path
from typing import Any, final

from pydantic import PrivateAttr, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from dalenius.calibration import default_noise
from dalenius.channel import Adversary, Release, Secrets
from dalenius.errors import InputError
from dalenius.frozen_section import Frozen, first_problem
from dalenius.models import AnyModel, Sample
from dalenius.noise import AnyNoise, Geometric, Noise, is_complete
from dalenius.notions import AnyNotion, Notion
from dalenius.omitted import Omitted, in_fact
from dalenius.queries import AnyQuery
from dalenius.sentences.sentence import Name, Phrase, phrase, said, semicolons
from dalenius.spec.data_section import Source
from dalenius.spec.derived import Derived
from dalenius.spec.files_read import in_folder, self_contained
from dalenius.spec.limits import MOST_MODEL_CHARACTERS
from dalenius.spec.practice import practice_json
from dalenius.spec.questions import Question, Workload, names_of
from dalenius.spec.sample_section import as_written, with_sample
from dalenius.spec.syntax_fault import SyntaxFault, Twice, each_once, json_fault, toml_fault, twice_in_json
from dalenius.text_files import read_text


def text_of(path: Path, key: str = "spec") -> str:
    """Reads the text of the spec file `path` as it is written (`read_text`); `key` is the key that messages name."""
    return read_text(path, key)


def sections_of(path: Path, key: str = "spec") -> Any:
    """Reads the TOML or JSON file `path` into nested dictionaries; `key` is the key that messages name.

    A file whose name ends in neither .json nor .toml is JSON where it begins with a brace. InputError, where it is
    neither, names the line and does not show it, as it may have a password.
    """
    text, name = read_text(path, key), path.name.lower().removesuffix(".gz")
    in_json = name.endswith(".json") or (not name.endswith(".toml") and text.lstrip().startswith("{"))
    try:
        return json.loads(text, object_pairs_hook=each_once) if in_json else tomllib.loads(text + "\n")
    except json.JSONDecodeError as error:
        fault, said = json_fault(text, error.lineno), str(error)
    except tomllib.TOMLDecodeError as error:
        fault, said = toml_fault(text, str(error)), str(error)
    except Twice as error:
        fault, said = twice_in_json(text, error.key), ""
    # The case of thousands of nested brackets, or of a number of thousands of digits, by mistake or by malice.
    except RecursionError:
        fault, said = SyntaxFault(None, "", None), "it is nested too deeply"
    except ValueError:
        fault, said = SyntaxFault(None, "", None), "a number has too many digits"
    form = "JSON" if in_json else "TOML"
    if fault.wanted is None:
        raise InputError(key, str(path), f"{form} ({said[:1].lower() + said[1:]})")
    where = f"{key} {path.name}" + ("" if fault.line is None else f" line {fault.line}")
    raise InputError(where, fault.key or form, fault.wanted)


@final
class Spec(Frozen):
    """The sections of a spec file, as one Python object: what is believed, asked, added and promised.

    Give either `query` with `noise`, or `questions`, each with its own noise; and `notion` or `promises`, not both.

    Args:
        model: What the adversary believes about the records.
        questions: Several questions that are answered together. None, the default, where there is one query.
        query: The query. None, the default, beside `questions`, or where the model itself gives the answers.
        noise: The noise added to each answer of the query. None, the default, or a noise without a scale, is for a
            calibration, which chooses it.
        notion: The notion that is promised, with its epsilon in nats. None, the default, where nothing is promised.
        promises: Several notions that are promised at once. None, the default, where there is at most one.
        secrets: What is secret; by default each person's record.
        adversary: What the adversary knows beside the model; by default nothing.
        data: Which columns of which table are read. None, the default, where no table is read.
        derived: Numbers to compute from the answers. None, the default, means none.
        sample: A sample of the model's people that the questions ask. It becomes a part of the model, which is then of
            kind `sampled`. None, the default, where everybody is asked.

    Raises:
        InputError: For sections that contradict each other; it names the key, the value and what was wanted.

    Example:
        >>> from dalenius import Count, InferentialPrivacy, Laplace, Table
        >>> pair = Table(records=((0, 0), (0, 1), (1, 0), (1, 1)), probabilities=(0.45, 0.05, 0.05, 0.45))
        >>> spec = Spec(model=pair, query=Count(), noise=Laplace(scale=2), notion=InferentialPrivacy(epsilon=1))
        >>> round(spec.promise().leakage(spec.audited()).epsilon, 6)
        0.897003
    """

    model: AnyModel
    questions: tuple[Question, ...] | None = None
    query: AnyQuery | None = None
    noise: AnyNoise | None = None
    notion: AnyNotion | None = None
    promises: tuple[AnyNotion, ...] | None = None
    secrets: Secrets = Secrets()
    adversary: Adversary = Adversary()
    data: Source | None = None
    derived: tuple[Derived, ...] | None = None
    sample: Sample | None = None
    _of_table: tuple[Omitted, ...] = PrivateAttr(())

    @model_validator(mode="before")
    @classmethod
    def _with_sample(cls, given: Any) -> Any:
        return with_sample(given)

    @field_validator("query")
    @classmethod
    def _query_or_questions(cls, query: AnyQuery | None, info: ValidationInfo) -> AnyQuery | None:
        """Raises ValueError for a query beside questions; a query is missing unless the model has the answers."""
        model, questions = info.data.get("model"), info.data.get("questions")
        if questions is not None and query is not None:
            raise ValueError("no section [query] beside [[questions]]: write it as one of them")
        if questions is not None:
            return None
        if query is None and model is not None and model.gives == "laws":
            raise PydanticCustomError("missing", "a value")
        return query

    @field_validator("questions")
    @classmethod
    def _named(cls, questions: tuple[Question, ...] | None, info: ValidationInfo) -> tuple[Question, ...] | None:
        """Raises ValueError for an empty list, or beside a model of one answer."""
        model = info.data.get("model")
        if questions is not None and not questions:
            raise ValueError("at least one question (or a section [query])")
        if questions is not None and model is not None and (model.gives != "laws" or model.gives == "moments"):
            raise ValueError(f"no [[questions]] beside model {model.kind}: it is of one answer")
        return questions

    @field_validator("noise")
    @classmethod
    def _noise_or_questions(cls, noise: Noise | None, info: ValidationInfo) -> Noise | None:
        """Raises ValueError for a noise of all beside questions that have their own."""
        if noise is not None and info.data.get("questions") is not None:
            raise ValueError("no section [noise] beside [[questions]]: each has its own")
        return noise

    @field_validator("promises")
    @classmethod
    def _several(cls, promises: tuple[Notion, ...] | None, info: ValidationInfo) -> tuple[Notion, ...] | None:
        """Raises ValueError for an empty list of promises, or one beside a single notion."""
        if promises is None:
            return None
        if not promises:
            raise ValueError("at least one promise (or a section [notion])")
        if info.data.get("notion") is not None:
            raise ValueError("no [[promises]] beside a section [notion]: write it as one of them")
        return promises

    @field_validator("secrets")
    @classmethod
    def _of_records(cls, secrets: Secrets, info: ValidationInfo) -> Secrets:
        """Raises ValueError for groups as secrets where only moments are known."""
        model = info.data.get("model")
        if model is not None and model.gives == "moments" and not secrets.of_records:
            raise ValueError("one person's record each: certificates from moments say nothing of groups")
        return secrets

    def in_encoding(self, encoding: str | None) -> "Spec":
        """Reads the table's text in another encoding.

        Args:
            encoding: The encoding, such as `"cp1252"`. None leaves the spec as it is.

        Returns:
            The spec with that encoding in its section [data].

        Raises:
            InputError: Where the spec has no section [data].
        """
        if encoding is None:
            return self
        if self.data is None:
            raise InputError("data", "missing", "a section [data] that names the columns to read")
        return self.altered({"data": self.data.altered({"encoding": encoding})})

    @property
    def omitted(self) -> tuple[Omitted, ...]:
        """The rows of files that the model reads, and of the table it was bound to, that were left out."""
        return in_fact((*self.model.omitted(), *self._of_table))

    def noting(self, omitted: Sequence[Omitted]) -> "Spec":
        """Notes which rows of the user's table were left out.

        Args:
            omitted: The rows, and why they were left out.

        Returns:
            A spec whose `omitted` has them too.
        """
        made = self.altered({})
        made._of_table = tuple(omitted)
        return made

    @property
    def of_moments(self) -> bool:
        """Whether the model gives the records' moments instead of their law: only certificates apply."""
        return self.model.gives == "moments"

    def audited(self, engine: str | None = None) -> Release:
        """Makes the release that the spec describes, to audit it.

        Args:
            engine: The name of the engine that is to compute the channel. None, the default, chooses one by size.

        Returns:
            The release, with its noise.

        Raises:
            InputError: Where the noise or its scale is missing.
        """
        if self.questions is not None:
            return self.workload(self.questions).audited(engine).noting(self._of_table)
        if self.noise is None:
            wanted = "a section [noise] with kind and scale (dalenius calibrate finds the scale)"
            raise InputError("noise", "missing", wanted)
        if not is_complete(self.noise):
            self.noise.known_scale()
        return self._labelled(Release(self.model, self.query, self.noise, self.secrets, engine, self.adversary))

    def calibrated(self) -> Release:
        """Returns the release whose noise scale must be found.

        Its noise is the given one, or the default for the lattice. Several questions have multiples of one scale.
        """
        if self.questions is not None:
            return self.workload(self.questions).calibrated().noting(self._of_table)
        from dalenius.spec.noise_before_answer import noise_before  # which an audit does not need

        if (apart := noise_before(self.query, self.noise)) is not None:
            return self._labelled(Release(self.model, self.query, apart, self.secrets, adversary=self.adversary))
        bare = self._labelled(Release(self.model, self.query, Geometric(), self.secrets, adversary=self.adversary))
        return bare.with_noise(self.noise if self.noise is not None else default_noise(bare.lattice))

    def _labelled(self, release: Release) -> Release:
        """Raises InputError where one answer for each label is asked of people without labels."""
        # The case of one histogram for each ward, where the data have no wards.
        if self.query is not None and self.query.asks_labels and not any(release.names):
            raise InputError("query.per_label", True, "a [data] label, or labels in the model: the people have none")
        return release.noting(self._of_table)

    @property
    def gives_noise(self) -> bool:
        """Whether every noise is given with its scale, so that nothing is left to choose."""
        noises = [self.noise] if self.questions is None else [each.noise for each in self.questions]
        return all(noise is not None and is_complete(noise) for noise in noises)

    def workload(self, questions: Sequence[Question]) -> Workload:
        """Puts questions under the spec's model, secrets and adversary.

        Args:
            questions: The questions, such as the spec's own, to be audited or calibrated together.
        """
        return Workload(questions, self.model, self.secrets, self.adversary)

    def all_promises(self) -> tuple[Notion, ...]:
        """Returns all promised notions, each with its epsilon. InputError where there is none, or no epsilon."""
        if self.promises is not None:
            for number, notion in enumerate(self.promises, 1):
                if notion.epsilon is None:
                    raise InputError(f"promises row {number}.epsilon", "missing", "a finite number above 0")
            return self.promises
        return (self.promise(),)

    def promise(self) -> Notion:
        """Returns the only notion, with its epsilon. InputError where either is missing, or there are several."""
        if self.promises is not None:
            if len(self.promises) > 1:
                raise InputError("promises", f"{len(self.promises)} of them", "a single promise here")
            return self.all_promises()[0]
        if self.notion is None:
            raise InputError("notion", "missing", "a section [notion] with kind and epsilon, or several [[promises]]")
        if self.notion.epsilon is None:
            raise InputError("notion.epsilon", "missing", "a finite number above 0")
        return self.notion

    @property
    def notions(self) -> tuple[Notion, ...]:
        """All notions the spec names, with an epsilon or without."""
        return self.promises if self.promises is not None else () if self.notion is None else (self.notion,)


def read_spec(source: Spec | Path | str | Mapping[str, Any]) -> Spec:
    """Reads a spec from a TOML or JSON file, or from nested dictionaries.

    Args:
        source: The path of the file, "-" for standard input, or the sections by name. Files that the model reads are
            relative to the spec's folder. A spec that is one already stays as it is.

    Returns:
        The spec.

    Raises:
        InputError: For something that is no spec; it names the key, the value and what was wanted.

    Example:
        >>> days = {"kind": "chain", "n": 2, "initial": [0.5, 0.5], "transition": [[0.9, 0.1], [0.1, 0.9]]}
        >>> noise, promise = {"kind": "laplace", "scale": 2.0}, {"kind": "inferential", "epsilon": 1.0}
        >>> spec = read_spec({"model": days, "query": {"kind": "count"}, "noise": noise, "notion": promise})
        >>> round(spec.promise().leakage(spec.audited()).epsilon, 6), question_words(spec)
        (0.897003, 'how many records are 1')
    """
    if isinstance(source, Spec):
        return source
    if not isinstance(source, Mapping | Path | str):
        raise InputError("spec", type(source).__name__, "a spec, the path of its file, or its sections by name")
    if isinstance(source, Mapping):
        return spec_from(dict(source))
    path = Path(source)
    spec = spec_from(sections_of(path))
    return in_folder(spec, path.parent)


def read_model(path: Path) -> Spec:
    """Reads the spec file `path` if only its model is needed: a query may be missing."""
    sections = sections_of(path)
    # Because a spec must ask something, and here nothing need be asked: any query will do, beside no questions.
    unasked = isinstance(sections, dict) and "query" not in sections and "questions" not in sections
    spec = spec_from({**sections, "query": {"kind": "count"}} if unasked else sections)
    return in_folder(spec, path.parent)


def spec_from(sections: Any) -> Spec:
    """Makes a spec of nested dictionaries, its `sections`. InputError names the first problem."""
    try:
        return Spec.model_validate(sections)
    except ValidationError as error:
        raise as_written(first_problem(error, "", with_sample(sections)), sections) from None


def canonical(spec: Spec) -> str:
    """Writes the spec as canonical JSON, with sorted keys and all defaults: equal questions have equal texts.

    All that the model and the noise read from a file is in it. The place and the name of the data set are not: a
    request has its name and its content beside this text. Numbers that are derived from the answers are left out too.
    """
    data = None if spec.data is None else spec.data.without_place()
    query = None if spec.query is None else spec.query.in_one_form()
    complete = self_contained(spec).altered({"query": query, "data": data, "derived": None})
    # So that a key that a later version adds changes no text, keys that are None are left out.
    return json.dumps(complete.model_dump(mode="json", exclude_none=True), sort_keys=True, separators=(",", ":"))


def question_words(spec: Spec) -> Phrase:
    """Says in words what the spec asks, and what a record is."""
    question = _queries(spec)
    return question if spec.data is None else semicolons([question, spec.data.record_words])


def _queries(spec: Spec) -> Phrase:
    """Says in words the questions, with their names and how often each is asked; or the only query."""
    if spec.questions is not None:
        return semicolons(starmap(_question, zip(names_of(spec.questions), spec.questions, strict=True)))
    return said("models_answer") if spec.query is None else phrase(spec.query.words)


def _question(name: str, one: Question) -> Phrase:
    """Says one of several questions, with its name and how often it is asked."""
    named = said("named", name=Name(name), words=phrase(one.query.words))
    return named if one.times == 1 else said("asked_times", question=named, times=one.times)


def question_json(spec: Spec) -> dict[str, Any]:
    """Collects the question, the query and the model for JSON, as sections of a spec and in words."""
    return {
        **practice_json(spec.data),
        "asked": question_words(spec),
        **({} if spec.query is None else {"query": spec.query.model_dump(mode="json", exclude_none=True)}),
        "model": _model_json(spec),
        "model_in_words": spec.model.words,
    }


def _model_json(spec: Spec) -> dict[str, Any]:
    """Writes the model as a section, with what it reads from files; a very long one as its kind and its SHA-256."""
    found: dict[str, Any] = spec.model.self_contained().model_dump(mode="json", exclude_none=True)
    text = json.dumps(found, sort_keys=True)
    short = len(text) <= MOST_MODEL_CHARACTERS
    return found if short else {"kind": spec.model.kind, "sha256": sha256(text.encode()).hexdigest()}
