import { createWav } from '../media/sound.ts'
import { jsonAnswer, type ScriptedAnswer, sseAnswer } from '../scripted-upstream.ts'

/** One operation beside conversations, in the form of one provider. */
export interface MediaOperation {
  /** The provider, where it is not any server of OpenAI's form. */
  readonly provider?: string
  readonly upstreamModel?: string
  /** The credentials of the channel, where they are no key. */
  readonly credentials?: string
  readonly path: string
  readonly body: (model: string) => object | FormData
  readonly good: ScriptedAnswer
  /** Whether the answer goes on in parts as they come. */
  readonly isRelayed?: true
  /** The most bytes of an answer that is taken whole, in megabytes; 32 where it is absent. */
  readonly maxMegabytes?: number
  /** Whether the gateway has an estimate of its own where no channel answers. */
  readonly isEstimated?: true
}

const image = { data: [{ b64_json: 'AAAA' }], usage: { input_tokens: 1, output_tokens: 1 } }
const sound = { headers: { 'content-type': 'audio/mpeg' }, chunks: ['sound'] }
const ranked = { index: 0, relevance_score: 0.5 }
const speech = { path: '/v1/audio/speech', body: (model: string) => ({ model, input: 'x', voice: 'v' }) }
const images = { path: '/v1/images/generations', body: (model: string) => ({ model, prompt: 'x' }) }
const vectors = { path: '/v1/embeddings', body: (model: string) => ({ model, input: 'x' }) }
const transcript = {
  path: '/v1/audio/transcriptions',
  body: (model: string) => formOf('file', { model }),
}
const ranking = {
  path: '/v1/rerank',
  body: (model: string) => ({ model, query: 'x', documents: ['a'], return_documents: true }),
}
const bedrock = {
  provider: 'bedrock',
  credentials: 'credentials: { region: us-east-1, api_key: bedrock-key-0123456789 }',
}
const geminiAnswer = (mimeType: string) =>
  jsonAnswer({
    candidates: [{ content: { parts: [{ inlineData: { mimeType, data: 'AAAA' } }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
  })

function formOf(file: string, more: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  form.set(file, new Blob([new Uint8Array(createWav(1))], { type: 'audio/wav' }), 'a.wav')
  for (const [name, value] of Object.entries(more)) form.set(name, value)
  return form
}

export const mediaOperations: Readonly<Record<string, MediaOperation>> = {
  'images from words': { ...images, good: jsonAnswer(image), maxMegabytes: 256 },
  'images by Gemini': {
    ...images,
    provider: 'gemini',
    upstreamModel: 'gemini-nano-banana-2.1',
    good: geminiAnswer('image/png'),
    maxMegabytes: 256,
  },
  'a stream of images': {
    ...images,
    body: (model) => ({ model, prompt: 'x', stream: true }),
    good: sseAnswer(['data: {"type":"image_generation.completed","b64_json":"AAAA"}\n\n']),
    isRelayed: true,
    maxMegabytes: 256,
  },
  'images from images': {
    path: '/v1/images/edits',
    body: (model) => formOf('image', { model, prompt: 'x' }),
    good: jsonAnswer(image),
    maxMegabytes: 256,
  },
  'a transcript': { ...transcript, good: jsonAnswer({ text: 'x' }) },
  'a transcript by Deepgram': {
    ...transcript,
    provider: 'deepgram',
    good: jsonAnswer({ results: { channels: [{ alternatives: [{ transcript: 'x' }] }] } }),
  },
  'a transcript by ElevenLabs': {
    ...transcript,
    provider: 'elevenlabs',
    good: jsonAnswer({ text: 'x', words: [] }),
  },
  'a transcript by Mistral': { ...transcript, provider: 'mistral', good: jsonAnswer({ text: 'x' }) },
  'a transcript by Gemini': {
    ...transcript,
    provider: 'gemini',
    upstreamModel: 'gemini-3.5-transcribe',
    good: jsonAnswer({
      candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
    }),
  },
  'a translation': {
    path: '/v1/audio/translations',
    body: (model) => formOf('file', { model }),
    good: jsonAnswer({ text: 'x' }),
  },
  speech: { ...speech, good: sound, isRelayed: true, maxMegabytes: 128 },
  'speech by Deepgram': {
    ...speech,
    provider: 'deepgram',
    upstreamModel: 'aura-2-thalia-en',
    good: sound,
    isRelayed: true,
    maxMegabytes: 128,
  },
  'speech by ElevenLabs': {
    ...speech,
    provider: 'elevenlabs',
    good: sound,
    isRelayed: true,
    maxMegabytes: 128,
  },
  'speech by Mistral': {
    ...speech,
    provider: 'mistral',
    good: jsonAnswer({ audio_data: 'AAAA' }),
    maxMegabytes: 128,
  },
  'speech by Gemini': {
    ...speech,
    provider: 'gemini',
    upstreamModel: 'gemini-3.8-flash-tts',
    body: (model) => ({ model, input: 'x', voice: 'v', response_format: 'wav' }),
    good: geminiAnswer('audio/L16;codec=pcm;rate=24000'),
    maxMegabytes: 128,
  },
  'a ranking by Cohere': {
    ...ranking,
    path: '/v2/rerank',
    provider: 'cohere',
    good: jsonAnswer({ id: 'r', results: [ranked], meta: { billed_units: { search_units: 1 } } }),
  },
  "a ranking by Cohere's model on Bedrock": {
    ...ranking,
    ...bedrock,
    upstreamModel: 'cohere.rerank-v3-5:0',
    good: jsonAnswer({ results: [ranked] }),
  },
  "a ranking by Amazon's model on Bedrock": {
    ...ranking,
    ...bedrock,
    upstreamModel: 'amazon.rerank-v1:0',
    good: jsonAnswer({ results: [ranked] }),
  },
  'a ranking by Voyage': {
    ...ranking,
    provider: 'voyage',
    good: jsonAnswer({ data: [ranked], usage: { total_tokens: 3 } }),
  },
  'a ranking by Jina': {
    ...ranking,
    provider: 'jina',
    good: jsonAnswer({ results: [ranked], usage: { total_tokens: 3 } }),
  },
  'a moderation': {
    provider: 'openai',
    path: '/v1/moderations',
    body: (model) => ({ model, input: 'x' }),
    good: jsonAnswer({ id: 'm', model: 'x', results: [{ flagged: false }] }),
  },
  'vectors by OpenAI': {
    ...vectors,
    provider: 'openai',
    good: jsonAnswer({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
      model: 'x',
      usage: { prompt_tokens: 1, total_tokens: 1 },
    }),
    maxMegabytes: 128,
  },
  'vectors by Cohere': {
    ...vectors,
    provider: 'cohere',
    good: jsonAnswer({
      id: 'e',
      embeddings: { float: [[0.5]] },
      meta: { billed_units: { input_tokens: 1 } },
    }),
    maxMegabytes: 128,
  },
  'vectors by Bedrock': {
    ...vectors,
    ...bedrock,
    upstreamModel: 'amazon.titan-embed-text-v2:0',
    good: jsonAnswer({ embedding: [0.5], inputTextTokenCount: 1 }),
    maxMegabytes: 128,
  },
  'a count of tokens': {
    provider: 'anthropic',
    path: '/v1/messages/count_tokens',
    body: (model) => ({ model, messages: [{ role: 'user', content: 'x' }] }),
    good: jsonAnswer({ input_tokens: 3 }),
    isEstimated: true,
  },
  'a completion of a prompt': {
    provider: 'openai',
    upstreamModel: 'gpt-3.5-turbo-instruct',
    path: '/v1/completions',
    body: (model) => ({ model, prompt: 'x' }),
    good: jsonAnswer({
      id: 'c',
      object: 'text_completion',
      created: 1_700_000_000,
      model: 'x',
      choices: [{ index: 0, text: 'x', finish_reason: 'stop', logprobs: null }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
  },
}

/** The settings of a channel for this operation. */
export function channelOf({ provider, upstreamModel, credentials }: MediaOperation) {
  return {
    provider: provider ?? 'openai-compatible',
    upstreamModel: upstreamModel ?? 'x',
    credentials: credentials ?? 'api_key: sk-upstream-0123456789',
  }
}

/** A fault before anything of an answer, with the status of a request that no other channel can take. */
export interface MediaFault {
  readonly name: string
  readonly answer: (operation: MediaOperation) => ScriptedAnswer
  readonly status: number
  /** Whether a timer finds the fault. */
  readonly isTimed?: true
}

const json = { 'content-type': 'application/json' }
const error = (status: number) => ({
  ...jsonAnswer({ error: { message: 'no', type: 'server_error' } }, status),
  headers: { ...json, 'retry-after': '7' },
})
const MEGABYTE = ' '.repeat(1024 * 1024)

export const mediaFaults: readonly MediaFault[] = [
  { name: 'a reset', answer: () => ({ ending: 'reset' }), status: 502 },
  { name: 'silence', answer: () => ({ ending: 'silence' }), status: 504, isTimed: true },
  { name: 'a refused key', answer: () => error(401), status: 502 },
  { name: 'a rate limit', answer: () => error(429), status: 429 },
  { name: 'a server error', answer: () => error(500), status: 502 },
  { name: 'an overload', answer: () => error(503), status: 503 },
  {
    name: 'a web page',
    answer: () => ({ headers: { 'content-type': 'text/html' }, chunks: ['<html></html>'] }),
    status: 502,
  },
  {
    name: 'another type',
    answer: () => ({ headers: { 'content-type': 'video/mp4' }, chunks: ['x'] }),
    status: 502,
  },
  { name: 'an answer that is empty', answer: () => ({ headers: json }), status: 502 },
  {
    name: 'an answer that breaks off',
    answer: () => ({ headers: json, chunks: ['{"da'], ending: 'reset' }),
    status: 502,
  },
  {
    name: 'an answer that is too large',
    answer: ({ maxMegabytes = 32 }) => ({
      headers: json,
      chunks: ['{"data":', ...Array.from({ length: maxMegabytes }, () => MEGABYTE)],
    }),
    status: 502,
  },
  {
    name: 'an error under status 200',
    answer: () => jsonAnswer({ error: { message: 'no', type: 'server_error' } }),
    status: 502,
  },
]
