import { createFailure, type Failure } from '../../canonical/failure.ts'
import { createLossList } from '../../canonical/loss.ts'
import type { SpeechRequest } from '../../canonical/operations/speech.ts'
import type {
  Transcript,
  TranscriptionRequest,
  TranscriptSegment,
  TranscriptWord,
} from '../../canonical/operations/transcription.ts'
import { SECOND_UNIT } from '../../canonical/operations/units.ts'
import { boundCount, noUsage } from '../../canonical/usage.ts'
import { isJsonObject, type JsonObject, type JsonValue, objectsIn } from '../../kit/json/json.ts'
import { cannotCarryField } from '../fields/cannot-carry-field.ts'
import type { ChannelSpeech, WrittenSpeech } from '../operations/speech-format.ts'
import type { ChannelTranscriptions, WrittenTranscription } from '../operations/transcription-format.ts'

/**
 * Deepgram's transcripts of a file
 * (https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded, seen 2026-11-24).
 */
export const deepgramTranscriptions: ChannelTranscriptions = {
  writeRequest: writeTranscriptionRequest,
  readReply,
}

function writeTranscriptionRequest(request: TranscriptionRequest, model: string): WrittenTranscription {
  const losses = createLossList()
  losses.drop(request.otherFields, { prompt: request.prompt, temperature: request.temperature })
  const query = new URLSearchParams({ model, smart_format: 'true', utterances: 'true' })
  if (request.language === undefined) query.set('detect_language', 'true')
  else query.set('language', request.language)
  if (request.responseFormat === 'diarized_json') query.set('diarize', 'true')
  return {
    path: `/v1/listen?${query}`,
    body: { type: 'file', file: request.file },
    losses: losses.all,
  }
}

function readReply(body: JsonValue): Transcript | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const { results, metadata } = body
  const channel = firstOf(isJsonObject(results) ? results['channels'] : undefined)
  const best = firstOf(channel?.['alternatives'])
  if (best === undefined || typeof best['transcript'] !== 'string')
    return createFailure('upstream_bad_response')
  const seconds = isJsonObject(metadata) ? metadata['duration'] : undefined
  const language = channel?.['detected_language']
  return {
    text: best['transcript'],
    language: typeof language === 'string' ? language : undefined,
    seconds: typeof seconds === 'number' ? seconds : undefined,
    segments: objectsIn(isJsonObject(results) ? results['utterances'] : undefined).flatMap(readUtterance),
    words: objectsIn(best['words']).flatMap(readWord),
    usage:
      typeof seconds === 'number'
        ? { ...noUsage, toolCalls: { [SECOND_UNIT]: boundCount(seconds) } }
        : undefined,
  }
}

function firstOf(list: JsonValue | undefined): JsonObject | undefined {
  return objectsIn(list)[0]
}

function readUtterance({ start, end, transcript, speaker }: JsonObject): readonly TranscriptSegment[] {
  if (typeof start !== 'number' || typeof end !== 'number' || typeof transcript !== 'string') return []
  return [
    { start, end, text: transcript, speaker: typeof speaker === 'number' ? nameOf(speaker) : undefined },
  ]
}

/** Returns a speaker's name. Deepgram numbers the speakers; OpenAI uses letters. */
function nameOf(speaker: number): string {
  return speaker < 26 ? String.fromCharCode(65 + speaker) : `speaker_${speaker}`
}

function readWord({ word, punctuated_word: written, start, end }: JsonObject): readonly TranscriptWord[] {
  const text = written ?? word
  if (typeof start !== 'number' || typeof end !== 'number' || typeof text !== 'string') return []
  return [{ word: text, start, end }]
}

/**
 * Deepgram's speech (https://developers.deepgram.com/docs/text-to-speech, seen 2026-11-24). The voice is part of the
 * model's name.
 */
export const deepgramSpeech: ChannelSpeech = { writeRequest: writeSpeechRequest }

/** The encoding and the container for each of OpenAI's file types. */
const encodings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  mp3: { encoding: 'mp3' },
  opus: { encoding: 'opus', container: 'ogg' },
  aac: { encoding: 'aac' },
  flac: { encoding: 'flac' },
  wav: { encoding: 'linear16', container: 'wav' },
  pcm: { encoding: 'linear16', container: 'none', sample_rate: '24000' },
}

const VOICES = /^aura(?:-\d+)?$/

function writeSpeechRequest(request: SpeechRequest, model: string): WrittenSpeech {
  const losses = createLossList()
  losses.drop(request.otherFields, { speed: request.speed, instructions: request.instructions })
  const encoding = encodings[request.fileType ?? 'mp3']
  if (encoding === undefined) throw cannotCarryField('response_format', 'makes no such file')
  // A model name without a voice stands for a family of models.
  const isFamily = VOICES.test(model)
  if (!isFamily) losses.drop(['voice'])
  const voice = isFamily ? `${model}-${request.voice}-en` : model
  return {
    path: `/v1/speak?${new URLSearchParams({ model: voice, ...encoding })}`,
    value: { text: request.text },
    losses: losses.all,
  }
}
