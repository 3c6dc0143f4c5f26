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
import type { FormPart } from '../../canonical/uploads/uploaded-form.ts'
import { boundCount, noUsage } from '../../canonical/usage.ts'
import { isJsonObject, type JsonObject, type JsonValue, objectsIn } from '../../kit/json/json.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import { cannotCarryField } from '../fields/cannot-carry-field.ts'
import type { ChannelSpeech, WrittenSpeech } from '../operations/speech-format.ts'
import type { ChannelTranscriptions, WrittenTranscription } from '../operations/transcription-format.ts'

/** ElevenLabs' transcripts (https://elevenlabs.io/docs/api-reference/speech-to-text/convert, seen 2026-11-24). */
export const elevenlabsTranscriptions: ChannelTranscriptions = {
  writeRequest: writeTranscriptionRequest,
  readReply,
}

function writeTranscriptionRequest(request: TranscriptionRequest, model: string): WrittenTranscription {
  const losses = createLossList()
  losses.drop(request.otherFields, { prompt: request.prompt })
  const fields = omitUndefined({
    model_id: model,
    timestamps_granularity: 'word',
    language_code: request.language,
    temperature: request.temperature?.toString(),
    diarize: request.responseFormat === 'diarized_json' ? 'true' : undefined,
    // Otherwise sounds that are not speech would appear among the words.
    tag_audio_events: 'false',
  })
  const texts: FormPart[] = Object.entries(fields).map(([name, value]) => ({ type: 'text', name, value }))
  return {
    path: '/v1/speech-to-text',
    body: { type: 'form', parts: [...texts, request.file] },
    losses: losses.all,
  }
}

interface TimedWord extends TranscriptWord {
  readonly speaker: string | undefined
  /** The text between the word before and this word. */
  readonly gap: string
}

function readReply(body: JsonValue): Transcript | Failure {
  if (!isJsonObject(body) || typeof body['text'] !== 'string') return createFailure('upstream_bad_response')
  const { text, language_code: language, words: list, audio_duration_secs: stated } = body
  const words = readWords(objectsIn(list))
  const seconds = typeof stated === 'number' ? stated : words.at(-1)?.end
  return {
    text,
    language: typeof language === 'string' ? language : undefined,
    seconds,
    segments: joinSentences(words),
    words,
    // The end of the last word is not the end of the file.
    usage:
      typeof stated === 'number'
        ? { ...noUsage, toolCalls: { [SECOND_UNIT]: boundCount(stated) } }
        : undefined,
  }
}

/**
 * Reads the words. Spaces are entries of their own, which languages without spaces do not have
 * (https://elevenlabs.io/docs/capabilities/speech-to-text, seen 2026-11-29).
 */
function readWords(entries: readonly JsonObject[]): readonly TimedWord[] {
  const words: TimedWord[] = []
  let gap = ''
  for (const { type = 'word', text, start, end, speaker_id: speaker } of entries) {
    if (type === 'spacing' && typeof text === 'string') gap = text
    if (type !== 'word' || typeof start !== 'number' || typeof end !== 'number' || typeof text !== 'string')
      continue
    words.push({ word: text, start, end, gap, speaker: typeof speaker === 'string' ? speaker : undefined })
    gap = ''
  }
  return words
}

const SENTENCE_END = /[.!?。！？]["'”’)]*$/

/** Joins words into segments. A segment ends with a sentence or a speaker's turn. */
function joinSentences(words: readonly TimedWord[]): readonly TranscriptSegment[] {
  const segments: TranscriptSegment[] = []
  let run: TimedWord[] = []
  for (const [index, word] of words.entries()) {
    run.push(word)
    const next = words[index + 1]
    const first = run[0] ?? word
    if (next !== undefined && !SENTENCE_END.test(word.word) && next.speaker === word.speaker) continue
    const text = run.map((each) => each.gap + each.word).join('')
    segments.push({ start: first.start, end: word.end, text: text.trim(), speaker: word.speaker })
    run = []
  }
  return segments
}

/** ElevenLabs' speech (https://elevenlabs.io/docs/api-reference/text-to-speech/stream, seen 2026-11-24). */
export const elevenlabsSpeech: ChannelSpeech = { writeRequest: writeSpeechRequest }

const outputFormats: Readonly<Record<string, string>> = {
  mp3: 'mp3_44100_128',
  opus: 'opus_48000_128',
  pcm: 'pcm_24000',
}

function writeSpeechRequest(request: SpeechRequest, model: string): WrittenSpeech {
  const losses = createLossList()
  losses.drop(request.otherFields, { instructions: request.instructions })
  const outputFormat = outputFormats[request.fileType ?? 'mp3']
  if (outputFormat === undefined) throw cannotCarryField('response_format', 'makes mp3, opus and pcm alone')
  const value = omitUndefined({
    text: request.text,
    model_id: model,
    voice_settings: request.speed === undefined ? undefined : { speed: request.speed },
  })
  const voice = encodeURIComponent(request.voice).replace(/^\.+$/, '%2E')
  return {
    path: `/v1/text-to-speech/${voice}/stream?output_format=${outputFormat}`,
    value,
    losses: losses.all,
  }
}
