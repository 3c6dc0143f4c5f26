import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { createLossList } from '../../../canonical/loss.ts'
import type { SpeechRequest, SpokenReply } from '../../../canonical/operations/speech.ts'
import type { Transcript, TranscriptionRequest } from '../../../canonical/operations/transcription.ts'
import { FileInJson } from '../../../canonical/uploads/json-with-files.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { cannotCarryField } from '../../fields/cannot-carry-field.ts'
import type { ChannelSpeech, WrittenSpeech } from '../../operations/speech-format.ts'
import type { ChannelTranscriptions, WrittenTranscription } from '../../operations/transcription-format.ts'
import { readErrorInAnswer } from '../errors/read-error.ts'
import { answerParts } from '../values/answer-parts.ts'
import { findIncomplete } from '../values/find-incomplete.ts'
import { modelPath } from '../values/model-path.ts'
import { readUsage } from '../values/read-usage.ts'

/**
 * Transcription by Google's models, which accept audio like any other content
 * (https://ai.google.dev/gemini-api/docs/audio, seen 2026-11-24). A transcript has text only, without timestamps.
 */
export const geminiTranscriptions: ChannelTranscriptions = {
  operationId: 'gemini',
  writeRequest: writeTranscriptionRequest,
  readReply: readTranscript,
}

const INSTRUCTION =
  'Write down what is said in this recording, word for word, in the language that is spoken. Answer with the words alone.'

function writeTranscriptionRequest(request: TranscriptionRequest, model: string): WrittenTranscription {
  const losses = createLossList()
  if (request.responseFormat !== 'json' && request.responseFormat !== 'text')
    throw cannotCarryField('response_format', 'gives no times')
  losses.drop(request.otherFields)
  if (request.wantsWords || request.wantsSegments) losses.drop(['timestamp_granularities'])
  const language = request.language === undefined ? [] : [`The language is ${request.language}.`]
  const hints = request.prompt === undefined ? [] : [`Words that may occur: ${request.prompt}`]
  const { mediaType, content } = request.file
  return {
    path: `${modelPath(model)}:generateContent`,
    body: {
      type: 'json',
      value: {
        contents: [
          {
            role: 'user',
            parts: [
              { text: [INSTRUCTION, ...language, ...hints].join(' ') },
              { inlineData: { mimeType: mediaType, data: new FileInJson(content) } },
            ],
          },
        ],
        generationConfig:
          request.temperature === undefined ? undefined : { temperature: request.temperature },
      },
    },
    losses: losses.all,
  }
}

function readTranscript(body: JsonValue): Transcript | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const failure = readErrorInAnswer(body) ?? findIncomplete(body, { param: 'file', name: 'transcript' })
  if (failure !== undefined) return failure
  const said = answerParts(body).flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  // The answer to silent audio has a candidate without text. An answer without candidates is a failure.
  if (said.length === 0 && !isJsonArray(body['candidates'])) return createFailure('upstream_empty')
  const usage = readUsage(body['usageMetadata'])
  const text = said.join('').trim()
  return { text, language: undefined, seconds: undefined, segments: [], words: [], usage }
}

/**
 * Speech by Google's models (https://ai.google.dev/gemini-api/docs/speech-generation, seen 2026-11-24). The models
 * return samples of 16 bits, and a header in front of the samples makes a WAV file.
 */
export const geminiSpeech: ChannelSpeech = {
  operationId: 'gemini',
  writeRequest: writeSpeechRequest,
  readReply: readSpeech,
}

function writeSpeechRequest(request: SpeechRequest, model: string): WrittenSpeech {
  const losses = createLossList()
  const { fileType = 'wav' } = request
  if (fileType !== 'wav' && fileType !== 'pcm')
    throw cannotCarryField('response_format', 'makes wav and pcm alone')
  if (request.fileType === undefined) losses.lose('foreign-field', 'defaulted', 'response_format')
  losses.drop(request.otherFields, { speed: request.speed })
  // Instructions go in front of the text to speak.
  const text = request.instructions === undefined ? request.text : `${request.instructions}: ${request.text}`
  return {
    path: `${modelPath(model)}:generateContent`,
    value: {
      contents: [{ role: 'user', parts: [{ text }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: request.voice } } },
      },
    },
    losses: losses.all,
  }
}

const DEFAULT_RATE = 24_000

function readSpeech(body: JsonValue, { fileType = 'wav' }: SpeechRequest): SpokenReply | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const failure = readErrorInAnswer(body) ?? findIncomplete(body, { param: 'input', name: 'speech' })
  if (failure !== undefined) return failure
  const sound = answerParts(body).flatMap(({ inlineData }) => (isJsonObject(inlineData) ? [inlineData] : []))
  const [first] = sound
  if (first === undefined) return createFailure('upstream_empty')
  const samples = Buffer.concat(
    sound.map(({ data }) => Buffer.from(typeof data === 'string' ? data : '', 'base64')),
  )
  const rate = Number(/rate=(\d{4,6})/.exec(String(first['mimeType']))?.[1] ?? DEFAULT_RATE)
  const usage = readUsage(body['usageMetadata'])
  return fileType === 'pcm'
    ? { mediaType: 'audio/pcm', bytes: samples, usage }
    : { mediaType: 'audio/wav', bytes: Buffer.concat([writeWavHead(samples.length, rate), samples]), usage }
}

const BYTES_A_SAMPLE = 2
const HEAD_BYTES = 44

/** The header of a WAV file with one channel and samples of 16 bits. */
function writeWavHead(bytes: number, rate: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(HEAD_BYTES - 8 + bytes, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * BYTES_A_SAMPLE, 28)
  head.writeUInt16LE(BYTES_A_SAMPLE, 32)
  head.writeUInt16LE(8 * BYTES_A_SAMPLE, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(bytes, 40)
  return head
}
