import { type TranscriptionRequest, transcriptFormats } from '../../canonical/operations/transcription.ts'
import { filesOf } from '../../canonical/uploads/uploaded-form.ts'
import { isJsonArray, type JsonObject } from '../../kit/json/json.ts'
import { createFieldReaders, invalidField, missingField } from '../fields/read-field.ts'
import { parseBody } from '../verbatim/parse-body.ts'
import type { ScannedRequest } from '../wire-format.ts'

const { readString, readWord } = createFieldReaders({ invalidField, missingField })

/** The fields that are read. Other fields can be served only by a channel of the caller's own format. */
const read: ReadonlySet<string> = new Set([
  'model',
  'file',
  'response_format',
  'language',
  'prompt',
  'temperature',
  'timestamp_granularities',
  'stream',
  'user',
  'safety_identifier',
  'metadata',
])

export function readRequest(scanned: ScannedRequest): TranscriptionRequest {
  const body = parseBody(scanned)
  const file = filesOf(scanned.form).find(({ name }) => name === 'file')
  if (file === undefined) throw missingField('file')
  const responseFormat = readWord(body, 'response_format', { path: '', words: transcriptFormats }) ?? 'json'
  return {
    file,
    responseFormat,
    language: readString(body, 'language', ''),
    prompt: readString(body, 'prompt', ''),
    temperature: typeof body['temperature'] === 'number' ? body['temperature'] : undefined,
    wantsWords: granularitiesOf(body).includes('word'),
    wantsSegments: granularitiesOf(body).includes('segment'),
    otherFields: Object.keys(body).filter((name) => !read.has(name) && body[name] !== null),
  }
}

function granularitiesOf({ timestamp_granularities: granularities }: JsonObject): readonly unknown[] {
  return isJsonArray(granularities) ? granularities : [granularities]
}
