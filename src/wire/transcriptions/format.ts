import { createFailure } from '../../canonical/failure.ts'
import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import { isJsonObject } from '../../kit/json/json.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import { readErrorInAnswer } from '../errors/read-error.ts'
import { missingField } from '../fields/read-field.ts'
import { openAiFrames } from '../openai/format-frames.ts'
import { createMediaWatcher } from '../openai/media/media-watcher.ts'
import { readFormFields } from '../openai/media/read-form.ts'
import { readTranscript } from '../openai/media/read-transcript.ts'
import { readTranscriptUsage } from '../openai/media/transcript-usage.ts'
import { readCallerLabels } from '../openai/verbatim/read-caller-labels.ts'
import type { TranscriptionFormat } from '../operations/transcription-format.ts'
import { replaceModel } from '../verbatim/replace-model.ts'
import { scanBody } from '../verbatim/scan-body.ts'
import type { ScannedRequest } from '../wire-format.ts'
import { estimateUsage, readSpendingTerms } from './audio-seconds.ts'
import { readRequest } from './read-request.ts'
import { writeTranscript, writeTranscriptEvents } from './write-transcript.ts'

const watched: ReadonlySet<string> = new Set(['model', 'file', 'response_format', 'stream', 'language'])

const MEGABYTE = 1024 * 1024

const formTypes = { temperature: 'number', stream: 'boolean' } as const

/** OpenAI's transcriptions (https://platform.openai.com/docs/api-reference/audio, seen 2026-11-24). */
export const transcriptionsFormat: TranscriptionFormat = {
  id: 'transcriptions',
  kind: 'transcription',
  family: 'chat',
  path: '/audio/transcriptions',
  scanRequest,
  readForm: (form) => readFormFields(form, formTypes),
  readSpendingTerms,
  estimateUsage,
  readCallerLabels,
  spliceRequest: replaceModel,
  readRequest,
  readTranscript,
  writeTranscript,
  writeEvents: writeTranscriptEvents,
  watchReply(body) {
    if (!isJsonObject(body)) return { failure: createFailure('upstream_bad_response') }
    if (typeof body['text'] !== 'string')
      return { failure: readErrorInAnswer(body) ?? createFailure('upstream_bad_response') }
    return omitUndefined({ usage: readTranscriptUsage(body['usage']) })
  },
  createWatcher: (scanned) =>
    createMediaWatcher({
      isContent: (type) => type === 'transcript.text.delta' || type === 'transcript.text.segment',
      isEnd: (type) => type === 'transcript.text.done',
      ends: 1,
      readUsage: readTranscriptUsage,
      estimate: () => estimateUsage(scanned).tokens,
    }),
  bounds: { frameBytes: 16 * MEGABYTE, streamBytes: 256 * MEGABYTE, wholeBytes: 32 * MEGABYTE },
  usagePath: ['usage'],
  ...openAiFrames,
  paramOf: ({ field }) => field ?? 'file',
}

/**
 * OpenAI's translations, which are transcripts in English. They are only forwarded unchanged. OpenAI ends the service
 * on 2027-02-26.
 */
export const translationsFormat: TranscriptionFormat = {
  ...transcriptionsFormat,
  id: 'translations',
  path: '/audio/translations',
  scanRequest: scanTranslation,
}

function scanRequest(body: BodyBytes): ScannedRequest {
  const scanned = scanBody(body, watched)
  if (!scanned.fields.has('file')) throw missingField('file')
  return scanned
}

/** Translations never stream. */
function scanTranslation(body: BodyBytes): ScannedRequest {
  return { ...scanRequest(body), isStream: false }
}
