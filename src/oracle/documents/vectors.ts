/** Documents of conformance: a directory of vectors, its suites and cases, a score card. */
import { anything, bool, either, finite, list, nat, oneOf, text } from '../../wire.js'
import { type Members, object, orNull, type Document, document } from './members.js'

const ofSuite: Members = {
  name: [text, 'its name'],
  arch: [oneOf('any', 'sm_90a', 'sm_100a'), 'the chip that it is about'],
  profile: [oneOf('layouts', 'arithmetic', 'synchronisation', 'kernels'), 'its subject'],
  title: [text, 'what it asks'],
  rules: [
    list(
      object('a rule', {
        id: [text, 'its stable name'],
        says: [text, 'the rule'],
        source: [text, 'the document that states it, or the measurement'],
        fidelity: [oneOf('silicon', 'documented', 'model'), 'the kind of evidence'],
      }),
    ),
    'the rules that its cases test',
  ],
}

/** By file name under `schemas/`. */
export const vectorsDocuments: Readonly<Record<string, Document>> = {
  'vectors.schema.json': document('tcspec.vectors/1', 'a directory of vectors that was written', {
    output: [text, 'the directory'],
    files: [nat, 'files in it'],
    bytes: [nat, 'total size of the files'],
    cases: [nat, 'cases of all suites'],
    refused: [nat, 'cases that must be refused'],
    suites: [
      list(
        object('a suite that was written', {
          name: [text, 'its name'],
          cases: [nat, 'its cases'],
          refused: [nat, 'cases that must be refused'],
        }),
      ),
      'one entry for each suite',
    ],
  }),
  'suites.schema.json': document('tcspec.suites/1', 'the suites of the vectors', {
    suites: [
      list(object('a suite', Object.assign({}, ofSuite, { cases: [nat, 'its cases'] }))),
      'one entry for each suite',
    ],
  }),
  'score.schema.json': document('tcspec.score/1', 'the score card of a back end', {
    backEnd: [list(text), 'its command, as a list of words'],
    version: [text, 'version of the specification'],
    seed: [nat, 'seed of the random questions'],
    score: [
      orNull('a number', finite),
      'percentage of the answered and failed questions that passed, rounded down; null: there were none',
    ],
    pass: [nat, 'questions that passed'],
    fail: [nat, 'questions that failed'],
    skip: [nat, 'questions that the back end does not support'],
    rules: [
      list(
        object('a rule', {
          suite: [text, 'its suite'],
          rule: [text, 'its stable id'],
          says: [text, 'the rule in words'],
          source: [text, 'the document that states it, or the measurement'],
          fidelity: [oneOf('silicon', 'documented', 'model'), 'the kind of evidence'],
          pass: [nat, 'number of its questions that passed'],
          fail: [nat, 'number of its questions that failed'],
          skip: [nat, 'number of its questions that the back end does not support'],
          shown: [
            orNull(
              'a question that failed',
              object('a question that failed', {
                question: [anything, 'the smallest failing question that was found'],
                expected: [anything, 'the answer, or the code of the refusal'],
                why: [text, 'the first difference of the answer, or what went wrong'],
                case: [
                  orNull('a name', text),
                  'the case that failed first; null: only random questions failed',
                ],
              }),
            ),
            'a question that failed; null: none failed',
          ],
        }),
      ),
      'every rule with at least one question',
    ],
  }),
}

/** The files of a directory of vectors. */
export const directoryDocuments: Readonly<Record<string, Document>> = {
  'manifest.schema.json': document('tcspec.manifest/1', 'a directory of vectors', {
    package: [text, 'what wrote it'],
    version: [text, 'its version'],
    schemas: [
      object('schemas', {
        suite: [text, 'schema of the suite files'],
        case: [text, 'schema of the case files'],
      }),
      'schemas of the other files',
    ],
    suites: [
      list(
        object(
          'a suite',
          Object.assign({}, ofSuite, {
            directory: [text, 'directory of its files'],
            lines: [text, 'the same cases in one file, one case on each line, with the tensors inside'],
            cases: [
              list(
                object('a case', {
                  file: [text, 'its file'],
                  rule: [text, 'id of its rule'],
                  features: [list(text), 'features that a back end must support'],
                  refused: [bool, 'whether a refusal is expected'],
                }),
              ),
              'its cases',
            ],
          } satisfies Members),
        ),
      ),
      'one entry for each suite',
    ],
    files: [
      list(
        object('a file', {
          file: [text, 'its path, relative to the directory'],
          bytes: [nat, 'its length'],
          sha256: [text, 'SHA-256 of its bytes, in hexadecimal'],
        }),
      ),
      'every other file',
    ],
  }),
  'suite.schema.json': document(
    'tcspec.suite/1',
    'a suite of vectors',
    Object.assign({}, ofSuite, {
      question: [anything, 'the JSON Schema of a question, with its tensors inside'],
      answer: [anything, 'the JSON Schema of an answer, with its tensors inside'],
    } satisfies Members),
  ),
  'case.schema.json': document('tcspec.case/1', 'a question with the expected answer', {
    suite: [text, 'name of the suite'],
    case: [text, 'name of the case'],
    rule: [text, 'id of the rule that it must follow'],
    features: [list(text), 'features that a back end must support'],
    fidelity: [text, 'evidence for the rule: silicon, documented or model'],
    question: [
      anything,
      'the question; a large tensor is an object with `npy`, a file next to this one, `dtype` and `shape`',
    ],
    expected: [
      either(
        'an answer or a refusal',
        object('an answer', { answer: [anything, 'the answer, with its tensors as in the question'] }),
        object('a refusal', { refused: [text, 'code of the refusal'] }),
      ),
      'the answer of the specification',
    ],
  }),
}
