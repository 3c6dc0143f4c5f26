import { type Dialect, defaultDialect } from '../../wire/dialect.ts'
import { geminiSpeech, geminiTranscriptions } from '../../wire/gemini/audio/gemini-audio.ts'
import { predictionEmbeddings } from '../../wire/gemini/embeddings/prediction-embeddings.ts'
import { geminiImages } from '../../wire/gemini/images/gemini-images.ts'
import { vertexRerank } from '../../wire/rerank/channels/vertex-rerank.ts'
import { createGoogleAuthorizer, findGoogleFault } from '../google/google-authorizer.ts'
import { messagesHeaders } from '../messages-headers.ts'
import { claudeDialect } from '../models/claude-dialect.ts'
import { geminiDialect } from '../models/gemini-dialect.ts'
import { isClaude } from '../models/is-claude.ts'
import { pathSegment } from '../path-segment.ts'
import type { CallShape, OriginRequest, PathRequest, Provider, ShapeRequest } from '../provider.ts'
import { geminiSteeringFields } from '../steering-fields.ts'

const DEFAULT_REGION = 'global'
/** The address of the ranking API, which is the same for all regions. */
const RANKING_ORIGIN = 'https://discoveryengine.googleapis.com'

/**
 * The version of Gemini from which on a request for log probabilities is refused
 * (https://github.com/vercel/ai/issues/5418, https://github.com/GoogleCloudPlatform/generative-ai/issues/2947, seen
 * 2026-11-30).
 */
const END_OF_LOGPROBS = 3

/**
 * Vertex AI of Google Cloud: Gemini in Google's own format, Claude in Anthropic's. A channel speaks one of the two, so
 * a project that serves both needs two channels.
 */
export const vertex: Provider = {
  id: 'vertex',
  formats: ['gemini', 'messages'],
  baseUrlOf: ({ region = DEFAULT_REGION }) => `https://${hostOf(region)}`,
  auth: 'bearer',
  needsKey: false,
  createAuthorizer: createGoogleAuthorizer,
  settings: [
    {
      name: 'project',
      pattern: /^[a-z][a-z0-9.:-]{3,60}[a-z0-9]$|^\d{6,20}$/,
      form: 'the id or the number of a project of Google Cloud',
      isRequired: true,
    },
    { name: 'region', pattern: /^[a-z]+(-[a-z]+\d+)?$/, form: 'a region, such as us-east5, or global' },
    {
      name: 'service_account_file',
      pattern: /\S/,
      form: 'the path of a key file of a service account',
      isFile: true,
    },
  ],
  findSettingFault: findGoogleFault,
  pathOf,
  originOf,
  shapeOf,
  endpoints: {
    embeddings: {
      maxInputs: 250,
      // The Gemini embedding models accept one text per call.
      maxInputsOf: (model) => (model.startsWith('gemini-') ? 1 : undefined),
      base64: false,
      format: predictionEmbeddings,
    },
    images: geminiImages,
    transcriptions: geminiTranscriptions,
    speech: geminiSpeech,
    rerank: vertexRerank,
    billsSearchUnits: true,
    countsTokens: true,
  },
  forwardHeaders: messagesHeaders.forwardHeaders,
  answerHeaders: messagesHeaders.answerHeaders,
  // The gateway sets the version. `labels` appear on the bill.
  steeringFields: ['anthropic_version', 'labels', ...geminiSteeringFields],
  dialect: (model, format) => ({
    ...defaultDialect,
    ...(format === 'messages' ? claudeOf(model) : geminiDialect(model, END_OF_LOGPROBS)),
  }),
  prices: {
    cachesMarkedOnly: isClaude,
    searchesByAnswer: (name) => name.startsWith('gemini'),
    litellm: [
      'vertex_ai',
      'vertex_ai-language-models',
      'vertex_ai-anthropic_models',
      'vertex_ai-mistral_models',
      'vertex_ai-deepseek_models',
      'vertex_ai-ai21_models',
      'vertex_ai-llama_models',
      'vertex_ai-minimax_models',
      'vertex_ai-moonshot_models',
      'vertex_ai-zai_models',
      'vertex_ai-openai_models',
      'vertex_ai-qwen_models',
      'vertex_ai-text-models',
      'vertex_ai-embedding-models',
    ],
    litellmPrefix: 'vertex_ai',
    // All regions except the global one have a surcharge, on the models that the table lists.
    regionOf: ({ settings }) =>
      (settings?.['region'] ?? DEFAULT_REGION) === 'global' ? undefined : 'regional',
  },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations',
      'https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude',
      'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api',
      'https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai',
      'https://cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1/projects.locations.rankingConfigs/rank (seen 2026-11-28)',
      'https://github.com/anthropics/anthropic-sdk-typescript/blob/main/packages/vertex-sdk/src/client.ts (addresses, paths, documents by address)',
      'https://github.com/BerriAI/litellm/blob/main/litellm/anthropic_beta_headers_config.json (betas)',
    ],
  },
}

/** The host of a region. `us` and `eu` are groups of regions with their own address. */
function hostOf(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com'
  const isGroup = region === 'us' || region === 'eu'
  return isGroup ? `aiplatform.${region}.rep.googleapis.com` : `${region}-aiplatform.googleapis.com`
}

function originOf({ operation, channel }: OriginRequest): string | undefined {
  const { region = DEFAULT_REGION } = channel.settings ?? {}
  const isOwn = channel.baseUrl === `https://${hostOf(region)}`
  return isOwn && operation === 'rerank' ? RANKING_ORIGIN : undefined
}

/** The format's own path contains the model and the method. Project, region and publisher come before it. */
function pathOf({ operation, path, upstreamModel, isStream, channel }: PathRequest): string {
  const { project = '', region = DEFAULT_REGION } = channel.settings ?? {}
  const version = /\/v1(beta1)?$/.test(channel.baseUrl) ? '' : '/v1'
  const location = `${version}/projects/${pathSegment(project)}/locations/${pathSegment(region)}`
  const base = `${location}/publishers`
  switch (operation) {
    case 'rerank':
      return location + path
    case 'messages':
      return `${base}/anthropic/models/${pathSegment(upstreamModel)}:${isStream ? 'streamRawPredict' : 'rawPredict'}`
    case 'count-tokens':
      return `${base}/anthropic/models/count-tokens:rawPredict`
    default:
      return `${base}/google${path}`
  }
}

function shapeOf({ operation, channel, headers }: ShapeRequest): CallShape | undefined {
  if (channel.format !== 'messages') return undefined
  const modelReplacement = { anthropic_version: 'vertex-2023-10-16' }
  const shape = operation === 'messages' ? { body: { modelReplacement, isStreamInPath: false } } : {}
  return { ...shape, headers: keepBetas(headers) }
}

/**
 * The betas that Vertex AI knows. It refuses a request for any other beta. The operator can add more in `headers` of
 * the channel.
 */
const betas: ReadonlySet<string> = new Set([
  'compact-2026-01-12',
  'compact-2026-09-04',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dangerous-tool-use-2026-09-03',
  'interleaved-thinking-2025-05-14',
  'per-turn-control-2026-07-01',
  'thinking-binding-controls-2026-08-01',
  'thinking-display-updates-2026-08-18',
  'tool-search-tool-2025-10-19',
  'web-search-2025-03-05',
])
/** The betas that have another name at Vertex AI than at Anthropic. */
const renamedBetas: Readonly<Record<string, string>> = {
  'advanced-tool-use-2025-11-20': 'tool-search-tool-2025-10-19',
}

function keepBetas(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { 'anthropic-beta': header, ...others } = headers
  const names = (header ?? '').split(',').map((name) => renamedBetas[name.trim()] ?? name.trim())
  const known = [...new Set(names.filter((name) => betas.has(name)))]
  return known.length === 0 ? others : { ...others, 'anthropic-beta': known.join(',') }
}

function claudeOf(model: string): Partial<Dialect> {
  return { cacheMarks: true, reasoning: 'effort', mediaAddresses: [], ...claudeDialect(model) }
}
