"""The first hour of a newcomer: what they type, on the terminal they have, and what becomes of what they mistype.

`test_terminal` types every --help; `test_interrupts` presses Ctrl-C; `test_mutated`
mistypes ten thousand specs and tables; `test_findings` has what four newcomers stumbled over and is held nowhere else:

N1   the budget belongs to a name               tests/curator/test_named_release.py, test_findings
N2   an exact answer is said and asked for      tests/cli/test_exact_answers.py
N3   from a frame to a release, in Python       tests/python/test_python.py, tests/curator/test_held.py,
                                                test_findings
N4   a paid answer is kept                      tests/curator/test_answers.py, test_named_release_command.py
N5   several questions, several times           tests/cli/test_questions.py
N6   long work is forecast                      tests/cli/test_progress.py, tests/cli/test_terminal.py
N7   a comparison is one screen                 tests/cli/test_terminal.py, tests/cli/test_terminal.py
N8   what a notebook shows                      tests/python/test_python.py, test_findings
N9   misuse in Python                           tests/python/test_python.py
N10  classes of one's own                       tests/cli/test_way_in.py, tests/docs/test_idea.py
N11  conditions that match nothing              tests/tables/test_conditions.py,
                                                test_findings
N12  NA, decimal commas                         tests/tables/test_errors.py, tests/tables/test_conditions.py
N13  per_label without a label                  tests/cli/test_bad_input.py
N14  sizes beyond memory                        tests/cli/test_way_in.py
N15  a, f: factors, nats                        test_findings, tests/cli/test_in_words.py
     b: intervals                               test_findings, tests/curator/test_intervals_command.py
     c: how likely the worst output is          tests/cli/test_tail.py
     d: what given answers say                  tests/cli/test_posterior.py
     e: which rows a person is                  test_findings, tests/reports/test_rows.py
N16  Ctrl-C                                     test_interrupts
N17  letters that cannot be written             test_terminal, test_mutated
N18  what is imported                           tests/house/test_imports.py
N19  the papers' names                          tests/docs/test_words.py
N20  ways in, examples in the wheel             tests/fitting/test_init_command.py, tests/house/test_packaged.py
N21  figures                                    tests/reports, tests/house/test_picture.py
N22  what a release would cost                  tests/curator/test_named_release.py, test_ledger.py
N25  nothing is left                            test_findings
N26  about whom, of a bound                     test_findings
N27  mistyped keys                              tests/cli/test_way_in.py
N28  TOML: the line, a byte order mark          tests/spec/test_printed.py, test_findings
N29  ragged and UTF-16 tables; a folder         tests/tables/test_errors.py
N30  -h, help, standard input, completion       tests/cli/test_way_in.py
N31  the engine's remark only with --verbose    tests/cli/test_audit.py
N32  no noise, no table                         tests/cli/test_bad_input.py
N33  every kind is on the page of specs         test_findings
N34  answers below 0                            test_findings
N35  TOML's words in messages; URLs             tests/cli/test_way_in.py, test_findings
N36  what the wheel holds                       tests/house/test_packaged.py
N37  a kernel's JSON in a file                  test_findings
N38  conditions in fit                          test_findings

N23 (extras for what exists) and N24 (how long a picture takes) have no test.
"""
