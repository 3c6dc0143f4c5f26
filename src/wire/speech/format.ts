import { createFailure } from '../../canonical/failure.ts'
import type { SpeechRequest } from '../../canonical/operations/speech.ts'
import { CHARACTER_UNIT } from '../../canonical/operations/units.ts'
import { inputTokensOf, noUsage, type Usage } from '../../canonical/usage.ts'
import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { writeNamedFrame } from '../../kit/sse/write-named-frame.ts'
import { readErrorInAnswer } from '../errors/read-error.ts'
import { invalidField, missingField, readNumber, readString, requireString } from '../fields/read-field.ts'
import { UsageCounter } from '../fields/usage-counter.ts'
import { openAiFrames } from '../openai/format-frames.ts'
import { createMediaWatcher } from '../openai/media/media-watcher.ts'
import { readCallerLabels } from '../openai/verbatim/read-caller-labels.ts'
import type { MediaEstimate } from '../operations/media-format.ts'
import type { SpeechFormat } from '../operations/speech-format.ts'
import { type SpendingTerms, termsWithoutOutput } from '../spending-terms.ts'
import { parseBody } from '../verbatim/parse-body.ts'
import { readSent } from '../verbatim/read-count.ts'
import { replaceModel } from '../verbatim/replace-model.ts'
import { scanBody } from '../verbatim/scan-body.ts'
import type { ScannedRequest } from '../wire-format.ts'

const MEGABYTE = 1024 * 1024

const watched: ReadonlySet<string> = new Set([
  'model',
  'input',
  'voice',
  'speed',
  'response_format',
  'stream_format',
])

/** The fields that are read. Other fields can be served only by a channel of the caller's own format. */
const read: ReadonlySet<string> = new Set([
  ...watched,
  'instructions',
  'user',
  'safety_identifier',
  'metadata',
])

/** Speech of 15 characters a second is 1,250 tokens a minute (https://openai.com/api/pricing, seen 2026-11-24). */
const LIKELY_TOKENS_A_CHARACTER = 1.4
const MAX_TOKENS_A_CHARACTER = 4
const CHARACTERS_A_TOKEN = 4

/** OpenAI's speech (https://platform.openai.com/docs/api-reference/audio/createSpeech, seen 2026-11-24). */
export const speechFormat: SpeechFormat = {
  id: 'speech',
  kind: 'speech',
  family: 'chat',
  path: '/audio/speech',
  scanRequest,
  readSpendingTerms,
  estimateUsage,
  readCallerLabels,
  spliceRequest: replaceModel,
  readRequest,
  /** An answer in JSON does not contain audio. */
  watchReply: (body) => ({
    failure:
      (isJsonObject(body) ? readErrorInAnswer(body) : undefined) ?? createFailure('upstream_bad_response'),
  }),
  createWatcher: (scanned) =>
    createMediaWatcher({
      isContent: (type) => type === 'speech.audio.delta',
      isEnd: (type) => type === 'speech.audio.done',
      ends: 1,
      readUsage: readSpeechUsage,
      estimate: () => estimateUsage(scanned).tokens,
    }),
  writeDelta: (bytes) => writeEvent({ type: 'speech.audio.delta', audio: bytes.toString('base64') }),
  writeDone: (usage) => writeEvent({ type: 'speech.audio.done', usage: writeSpeechUsage(usage) }),
  bounds: { frameBytes: 16 * MEGABYTE, streamBytes: 1_024 * MEGABYTE, wholeBytes: 128 * MEGABYTE },
  usagePath: ['usage'],
  ...openAiFrames,
  paramOf: ({ field }) => field ?? 'input',
}

function scanRequest(body: BodyBytes): ScannedRequest {
  const scanned = scanBody(body, watched)
  if (!scanned.fields.has('input')) throw missingField('input')
  return { ...scanned, isStream: readSent(scanned, 'stream_format') === 'sse' }
}

function readRequest(scanned: ScannedRequest): SpeechRequest {
  const body = parseBody(scanned)
  return {
    text: requireString(body, 'input', ''),
    voice: readVoice(body['voice']),
    fileType: readString(body, 'response_format', ''),
    speed: readNumber(body, 'speed', ''),
    instructions: readString(body, 'instructions', ''),
    otherFields: Object.keys(body).filter((name) => !read.has(name) && body[name] !== null),
  }
}

/** Reads the voice: a name, or an object with the ID of a custom voice. */
function readVoice(voice: JsonValue | undefined): string {
  if (voice === undefined || voice === null) throw missingField('voice')
  const name = isJsonObject(voice) ? voice['id'] : voice
  if (typeof name === 'string' && name !== '') return name
  throw invalidField('voice', 'the name of a voice, or an object with its "id"')
}

function readSpendingTerms(scanned: ScannedRequest): SpendingTerms {
  const characters = charactersOf(scanned)
  return {
    ...termsWithoutOutput,
    asksForAudio: true,
    maxOutputTokens: Math.ceil((characters * MAX_TOKENS_A_CHARACTER) / Math.min(1, speedOf(scanned))),
    billedTools: () => [{ name: CHARACTER_UNIT, maxCalls: characters }],
  }
}

function estimateUsage(scanned: ScannedRequest): MediaEstimate {
  const characters = charactersOf(scanned)
  const outputTokens = Math.ceil((characters * LIKELY_TOKENS_A_CHARACTER) / speedOf(scanned))
  return {
    tokens: {
      ...noUsage,
      freshInputTokens: Math.ceil(characters / CHARACTERS_A_TOKEN),
      outputTokens,
      outputAudioTokens: outputTokens,
      isEstimated: true,
    },
    units: { [CHARACTER_UNIT]: characters },
    unitsAreEstimated: false,
  }
}

/** Counts characters as code points, like the services do. */
function charactersOf(scanned: ScannedRequest): number {
  const text = readSent(scanned, 'input')
  if (typeof text !== 'string') return 0
  let count = 0
  for (const _ of text) count += 1
  return count
}

function speedOf(scanned: ScannedRequest): number {
  const speed = readSent(scanned, 'speed')
  return typeof speed === 'number' && speed >= 0.25 && speed <= 4 ? speed : 1
}

function readSpeechUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const { input_tokens: input, output_tokens: output } = value
  if (typeof input !== 'number' && typeof output !== 'number') return undefined
  const counter = new UsageCounter()
  const outputTokens = counter.count(output)
  return {
    ...noUsage,
    freshInputTokens: counter.count(input),
    outputTokens,
    outputAudioTokens: outputTokens,
    isEstimated: counter.isEstimated,
  }
}

function writeSpeechUsage(usage: Usage): JsonObject {
  const input = inputTokensOf(usage)
  return { input_tokens: input, output_tokens: usage.outputTokens, total_tokens: input + usage.outputTokens }
}

function writeEvent(event: JsonObject & { readonly type: string }): string {
  return writeNamedFrame(event.type, event)
}
