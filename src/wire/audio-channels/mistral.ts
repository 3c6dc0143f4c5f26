import { createFailure, type Failure } from '../../canonical/failure.ts'
import { createLossList } from '../../canonical/loss.ts'
import type { SpeechRequest, SpokenReply } from '../../canonical/operations/speech.ts'
import type { TranscriptionRequest } from '../../canonical/operations/transcription.ts'
import type { FormPart } from '../../canonical/uploads/uploaded-form.ts'
import { isJsonObject, type JsonValue } from '../../kit/json/json.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import { readErrorInAnswer } from '../errors/read-error.ts'
import { cannotCarryField } from '../fields/cannot-carry-field.ts'
import { readTranscript } from '../openai/media/read-transcript.ts'
import type { ChannelSpeech, WrittenSpeech } from '../operations/speech-format.ts'
import type { ChannelTranscriptions, WrittenTranscription } from '../operations/transcription-format.ts'

/**
 * Mistral's transcripts (https://docs.mistral.ai/api/endpoint/audio/transcriptions, seen 2026-11-24). The form is
 * nearly OpenAI's, with only one kind of timestamps per call and no subtitle or plain text files.
 */
export const mistralTranscriptions: ChannelTranscriptions = {
  writeRequest: writeTranscriptionRequest,
  readReply: readTranscript,
}

const timed: ReadonlySet<string> = new Set(['srt', 'vtt', 'verbose_json', 'diarized_json'])

function writeTranscriptionRequest(request: TranscriptionRequest, model: string): WrittenTranscription {
  const losses = createLossList()
  losses.drop(request.otherFields, { prompt: request.prompt })
  if (request.wantsWords) losses.lose('foreign-field', 'approximated', 'timestamp_granularities')
  const fields = omitUndefined({
    model,
    // Mistral detects the language where timestamps are requested, and rejects a request with both.
    language: timed.has(request.responseFormat) ? undefined : request.language,
    temperature: request.temperature?.toString(),
    timestamp_granularities: timed.has(request.responseFormat) ? 'segment' : undefined,
    diarize: request.responseFormat === 'diarized_json' ? 'true' : undefined,
  })
  if (timed.has(request.responseFormat)) losses.drop([], { language: request.language })
  const texts: FormPart[] = Object.entries(fields).map(([name, value]) => ({ type: 'text', name, value }))
  return {
    path: '/audio/transcriptions',
    body: { type: 'form', parts: [...texts, request.file] },
    losses: losses.all,
  }
}

/** Mistral's speech (`@ai-sdk/mistral` 4.0.12, seen 2026-11-24). The whole audio is sent inside JSON. */
export const mistralSpeech: ChannelSpeech = { writeRequest: writeSpeechRequest, readReply: readSound }

/** The content types of Mistral's audio files, by OpenAI's names of the file types. */
const mediaTypes: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  opus: 'audio/ogg',
  pcm: 'audio/pcm',
}

function writeSpeechRequest(request: SpeechRequest, model: string): WrittenSpeech {
  const losses = createLossList()
  const fileType = request.fileType ?? 'mp3'
  if (mediaTypes[fileType] === undefined) throw cannotCarryField('response_format', 'makes no such file')
  losses.drop(request.otherFields, { speed: request.speed, instructions: request.instructions })
  return {
    path: '/audio/speech',
    value: { model, input: request.text, voice_id: request.voice, response_format: fileType },
    losses: losses.all,
  }
}

function readSound(body: JsonValue, { fileType = 'mp3' }: SpeechRequest): SpokenReply | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const { audio_data: data } = body
  if (typeof data !== 'string' || data === '')
    return readErrorInAnswer(body) ?? createFailure('upstream_bad_response')
  const mediaType = mediaTypes[fileType] ?? 'application/octet-stream'
  const bytes = Buffer.from(data, 'base64')
  return { mediaType, bytes: fileType === 'pcm' ? toShortSamples(bytes) : bytes, usage: undefined }
}

const BYTES_A_FLOAT = 4
const BYTES_A_SHORT = 2
const MAX_SHORT = 32_767

/**
 * Writes samples of 16 bits, which callers of OpenAI's API play. Mistral's raw samples are little-endian 32-bit floats
 * of the same rate (https://docs.mistral.ai/capabilities/audio/text_to_speech/speech, seen 2026-11-30).
 */
function toShortSamples(floats: Buffer): Buffer {
  const samples = Math.floor(floats.length / BYTES_A_FLOAT)
  const shorts = Buffer.alloc(samples * BYTES_A_SHORT)
  for (let index = 0; index < samples; index += 1) {
    const sample = Math.min(Math.max(floats.readFloatLE(index * BYTES_A_FLOAT), -1), 1)
    shorts.writeInt16LE(Math.round(sample * MAX_SHORT), index * BYTES_A_SHORT)
  }
  return shorts
}
