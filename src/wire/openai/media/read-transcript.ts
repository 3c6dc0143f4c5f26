import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type {
  Transcript,
  TranscriptSegment,
  TranscriptWord,
} from '../../../canonical/operations/transcription.ts'
import { isJsonObject, type JsonObject, type JsonValue, objectsIn } from '../../../kit/json/json.ts'
import { readErrorInAnswer } from '../../errors/read-error.ts'
import { readTranscriptUsage } from './transcript-usage.ts'

/** Reads a transcript in OpenAI's or Mistral's form, with or without times. */
export function readTranscript(body: JsonValue): Transcript | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const { text, language, duration } = body
  if (typeof text !== 'string') return readErrorInAnswer(body) ?? createFailure('upstream_bad_response')
  return {
    text,
    language: typeof language === 'string' ? language : undefined,
    seconds: typeof duration === 'number' ? duration : undefined,
    segments: objectsIn(body['segments']).flatMap(readSegment),
    words: objectsIn(body['words']).flatMap(readWord),
    usage: readTranscriptUsage(body['usage']),
  }
}

/**
 * Reads a segment. Mistral names its speaker in `speaker_id` (https://github.com/mistralai/client-python, seen
 * 2026-11-30).
 */
function readSegment({ start, end, text, ...rest }: JsonObject): readonly TranscriptSegment[] {
  const speaker = rest['speaker'] ?? rest['speaker_id']
  if (typeof start !== 'number' || typeof end !== 'number' || typeof text !== 'string') return []
  return [{ start, end, text, speaker: typeof speaker === 'string' ? speaker : undefined }]
}

function readWord({ word, start, end }: JsonObject): readonly TranscriptWord[] {
  if (typeof start !== 'number' || typeof end !== 'number' || typeof word !== 'string') return []
  return [{ word, start, end }]
}
