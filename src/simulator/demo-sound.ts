import type { JsonObject } from '../kit/json/json.ts'
import { findAudioSeconds } from '../kit/media/find-audio-seconds.ts'
import { DemoError } from './demo-error.ts'
import { demoChatModel, requireModel } from './demo-request.ts'

const SAMPLES_A_SECOND = 8_000
/** The characters that are spoken in one second. */
const PACE = 15
const MAX_CHARACTERS = 4_096
const PITCH_HERTZ = 220
const HEAD_BYTES = 44

/** Answers a speech request with a tone that is as long as its words, always as WAV. Throws `DemoError`. */
export function answerSpeech(body: JsonObject): Buffer {
  requireModel(body, demoChatModel)
  const { input } = body
  if (typeof input !== 'string' || input === '' || input.length > MAX_CHARACTERS)
    throw new DemoError(400, `input must be a text of 1 to ${MAX_CHARACTERS} characters.`, { param: 'input' })
  return writeTone(Math.ceil((input.length / PACE) * SAMPLES_A_SECOND))
}

function writeTone(samples: number): Buffer {
  const file = Buffer.alloc(HEAD_BYTES + 2 * samples)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(file.length - 8, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(SAMPLES_A_SECOND, 24)
  file.writeUInt32LE(2 * SAMPLES_A_SECOND, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(2 * samples, 40)
  for (let index = 0; index < samples; index += 1) {
    const level = Math.sin((2 * Math.PI * PITCH_HERTZ * index) / SAMPLES_A_SECOND)
    file.writeInt16LE(Math.round(level * 8_000), HEAD_BYTES + 2 * index)
  }
  return file
}

export interface DemoRecording {
  readonly name: string
  readonly bytes: Buffer
}

/** Answers a transcription request with the length of the file. Throws `DemoError`. */
export function answerTranscription(body: JsonObject, recording: DemoRecording | undefined): JsonObject {
  requireModel(body, demoChatModel)
  if (recording === undefined) throw new DemoError(400, 'file is missing.', { param: 'file' })
  const { bytes, name } = recording
  const { seconds } = findAudioSeconds({ head: bytes, tail: bytes, length: bytes.length })
  const duration = Math.round(seconds * 100) / 100
  const text = `This is a recording of ${duration} seconds with the name ${name}.`
  return {
    text,
    language: 'english',
    duration,
    segments: [{ id: 0, start: 0, end: duration, text }],
    usage: { type: 'duration', seconds: Math.ceil(seconds) },
  }
}
