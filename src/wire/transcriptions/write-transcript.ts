import type {
  Transcript,
  TranscriptionRequest,
  TranscriptSegment,
} from '../../canonical/operations/transcription.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import { writeNamedFrame } from '../../kit/sse/write-named-frame.ts'
import { HOUR_MS, MINUTE_MS } from '../../kit/time/time-units.ts'
import { writeTranscriptUsage } from '../openai/media/transcript-usage.ts'
import type { WrittenTranscript } from '../operations/transcription-format.ts'

/** The content type that OpenAI's service uses for text and for subtitles. */
export const TEXT_TYPE = 'text/plain; charset=utf-8'
const JSON_TYPE = 'application/json'

/** Writes a transcript in the form that the caller asked for. */
export function writeTranscript(
  transcript: Transcript,
  request: TranscriptionRequest,
  usage: Usage,
): WrittenTranscript {
  const segments = segmentsOf(transcript)
  switch (request.responseFormat) {
    case 'json':
      return json({ text: transcript.text, usage: writeTranscriptUsage(usage) })
    case 'verbose_json':
      return json(writeVerbose(transcript, request, usage))
    case 'diarized_json':
      return json(writeDiarized(transcript, usage))
    case 'text':
      return text(`${transcript.text}\n`)
    case 'srt':
      return text(segments.map((segment, index) => `${index + 1}\n${writeCue(segment, ',')}`).join('\n'))
    case 'vtt':
      return text(`WEBVTT\n\n${segments.map((segment) => writeCue(segment, '.')).join('\n')}`)
  }
}

function json(value: JsonObject): WrittenTranscript {
  return { body: JSON.stringify(value), contentType: JSON_TYPE }
}

function text(body: string): WrittenTranscript {
  return { body, contentType: TEXT_TYPE }
}

/** Returns the segments. A transcript without timestamps is one segment. */
function segmentsOf({ segments, text: all, seconds = 0 }: Transcript): readonly TranscriptSegment[] {
  return segments.length > 0 || all === '' ? segments : [{ start: 0, end: seconds, text: all }]
}

function writeVerbose(
  transcript: Transcript,
  { wantsWords }: TranscriptionRequest,
  usage: Usage,
): JsonObject {
  return omitUndefined({
    task: 'transcribe',
    language: transcript.language ?? '',
    duration: transcript.seconds ?? 0,
    text: transcript.text,
    segments: segmentsOf(transcript).map(({ start, end, text: said }, id) => ({
      id,
      seek: 0,
      start,
      end,
      text: said,
      tokens: [],
      temperature: 0,
      avg_logprob: 0,
      compression_ratio: 0,
      no_speech_prob: 0,
    })),
    words: wantsWords ? transcript.words.map(({ word, start, end }) => ({ word, start, end })) : undefined,
    usage: writeTranscriptUsage(usage),
  })
}

function writeDiarized(transcript: Transcript, usage: Usage): JsonObject {
  return {
    task: 'transcribe',
    duration: transcript.seconds ?? 0,
    text: transcript.text,
    segments: segmentsOf(transcript).map(({ start, end, text: said, speaker = 'A' }, id) => ({
      type: 'transcript.text.segment',
      id: `seg_${id}`,
      start,
      end,
      text: said,
      speaker,
    })),
    usage: writeTranscriptUsage(usage),
  }
}

function writeCue({ start, end, text: said }: TranscriptSegment, point: ',' | '.'): string {
  return `${writeTime(start, point)} --> ${writeTime(end, point)}\n${said.trim()}\n`
}

/** Writes a time such as `00:01:02,500`. */
function writeTime(seconds: number, point: ',' | '.'): string {
  const milliseconds = Math.round(Math.max(0, seconds) * 1_000)
  const [hours, minutes, rest] = [
    Math.floor(milliseconds / HOUR_MS),
    Math.floor(milliseconds / MINUTE_MS) % 60,
    Math.floor(milliseconds / 1_000) % 60,
  ].map((part) => String(part).padStart(2, '0'))
  return `${hours}:${minutes}:${rest}${point}${String(milliseconds % 1_000).padStart(3, '0')}`
}

/** Writes the events of a stream: one with the whole text, and the end. */
export function writeTranscriptEvents({ text: all }: Transcript, usage: Usage): string {
  const delta = { type: 'transcript.text.delta', delta: all }
  const done = { type: 'transcript.text.done', text: all, usage: writeTranscriptUsage(usage) }
  return [delta, done].map((event) => writeNamedFrame(event.type, event)).join('')
}
