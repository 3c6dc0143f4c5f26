import type { Channel } from '../../catalog/channel.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../kit/json/json.ts'
import { cohereEmbeddings } from '../../wire/cohere/cohere-embeddings.ts'
import { readError } from '../../wire/converse/errors/read-error.ts'
import { createInvokeEmbeddings, maxInputsOf } from '../../wire/converse/invoke-embeddings.ts'
import { type Dialect, defaultDialect } from '../../wire/dialect.ts'
import { bedrockRerank } from '../../wire/rerank/channels/bedrock-rerank.ts'
import { createAwsAuthorizer, findAwsFault } from '../aws/aws-authorizer.ts'
import { bedrockDialect } from '../models/bedrock-dialect.ts'
import { claudeDialect } from '../models/claude-dialect.ts'
import { isClaude } from '../models/is-claude.ts'
import type { CallShape, ModelListFormat, PathRequest, Provider, ShapeRequest } from '../provider.ts'

/**
 * Lists the models that can be called directly, and the profiles that call models in several regions. The newest models
 * have no name other than a profile's (API_ListFoundationModels.html and API_ListInferenceProfiles.html, seen
 * 2026-11-20).
 */
const bedrockModels: ModelListFormat = { addressesOf, readNames }

const MODEL_LIST_PATHS = [
  '/foundation-models?byInferenceType=ON_DEMAND',
  '/inference-profiles?maxResults=1000',
]

/**
 * The addresses of the lists. AWS serves lists from another host than answers. An operator's own address serves both.
 */
function addressesOf({ baseUrl }: Channel): readonly string[] {
  const root = baseUrl.replace(
    /^https:\/\/bedrock-runtime\.([a-z0-9-]+\.amazonaws\.com)/,
    'https://bedrock.$1',
  )
  return MODEL_LIST_PATHS.map((list) => root + list)
}

function readNames(body: JsonValue): readonly string[] | undefined {
  const list = isJsonObject(body) ? (body['modelSummaries'] ?? body['inferenceProfileSummaries']) : undefined
  if (!isJsonArray(list)) return undefined
  return list.flatMap((item) => {
    if (!isJsonObject(item)) return []
    const name = item['modelId'] ?? item['inferenceProfileId']
    return typeof name === 'string' ? [name] : []
  })
}

/**
 * Amazon Bedrock: models of many makers in its own Converse format, and Claude also in Anthropic's messages format.
 * Models are named by their IDs, by the IDs of inference profiles, or by ARNs.
 */
export const bedrock: Provider = {
  id: 'bedrock',
  formats: ['converse', 'messages'],
  baseUrlOf: ({ region = '' }) => `https://bedrock-runtime.${region}.${endingOf(region)}`,
  environmentKey: 'AWS_BEARER_TOKEN_BEDROCK',
  modelLists: bedrockModels,
  modelListNeedsKey: true,
  auth: 'bearer',
  needsKey: false,
  createAuthorizer: (parts) => createAwsAuthorizer('bedrock', parts),
  settings: [
    {
      name: 'region',
      isRequired: true,
      variables: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
      pattern: /^[a-z]{2}(-[a-z]+)+-\d$/,
      form: 'a region, such as us-east-1',
    },
    { name: 'api_key', pattern: /^[\x21-\x7e]+$/, form: 'a key of Bedrock, without spaces' },
    {
      name: 'access_key_id',
      pattern: /^\w{16,128}$/,
      form: 'the id of an access key',
      needs: 'secret_access_key',
    },
    {
      name: 'secret_access_key',
      pattern: /^[\x21-\x7e]+$/,
      form: 'the secret of an access key, without spaces',
      needs: 'access_key_id',
    },
    {
      name: 'session_token',
      pattern: /^[\x21-\x7e]+$/,
      form: 'a session token, without spaces',
      needs: 'access_key_id',
    },
    { name: 'profile', pattern: /^[^\]\r\n]+$/, form: 'the name of a profile in ~/.aws' },
    { name: 'guardrail_id', pattern: /^[\x21-\x7e]+$/, form: 'the id or the ARN of a guardrail' },
    {
      name: 'guardrail_version',
      pattern: /^(\d+|DRAFT)$/,
      form: 'a number in quotes, or DRAFT',
      needs: 'guardrail_id',
    },
  ],
  findSettingFault: findAwsFault,
  modelNames: /^(?!\.{1,2}$)[A-Za-z0-9._:/-]{1,2048}$/,
  pathOf,
  shapeOf,
  readError,
  streamAccept: 'application/vnd.amazon.eventstream',
  endpoints: {
    embeddings: {
      maxInputs: 1,
      maxInputsOf,
      base64: false,
      format: createInvokeEmbeddings(cohereEmbeddings),
    },
    rerank: bedrockRerank,
    billsSearchUnits: true,
  },
  answerHeaders: ['x-amzn-requestid', 'x-amzn-bedrock-*'],
  steeringFields: ['guardrailconfig', 'amazon-bedrock-guardrailconfig'],
  dialect: (model, format) => ({
    ...defaultDialect,
    // Bedrock fetches no addresses in either format.
    mediaAddresses: [],
    ...(format === 'messages' ? messagesDialect(model) : bedrockDialect(model)),
  }),
  prices: {
    litellm: ['bedrock', 'bedrock_converse', 'bedrock_mantle'],
    readLitellmName,
    namesOf: priceNamesOf,
    cachesMarkedOnly: isClaude,
  },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
      'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html',
      'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html',
      'https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html',
      'https://docs.aws.amazon.com/bedrock/latest/userguide/guardrails-use-converse-api.html',
    ],
  },
}

function endingOf(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
}

function messagesDialect(model: string): Partial<Dialect> {
  return { cacheMarks: true, reasoning: 'effort', ...claudeDialect(model) }
}

/** Claude in the messages format uses the invoke path. All other calls use the Converse path. */
function pathOf({ operation, path, upstreamModel, isStream }: PathRequest): string {
  if (operation !== 'messages') return path
  return `/model/${encodeURIComponent(upstreamModel)}/invoke${isStream ? '-with-response-stream' : ''}`
}

const ANTHROPIC_VERSION = 'bedrock-2023-05-31'

function shapeOf({ operation, channel, headers }: ShapeRequest): CallShape | undefined {
  const { guardrail_id: id, guardrail_version: version = 'DRAFT' } = channel.settings ?? {}
  if (operation === 'converse') {
    return id === undefined
      ? undefined
      : { fields: { guardrailConfig: { guardrailIdentifier: id, guardrailVersion: version } } }
  }
  if (operation !== 'messages') return undefined
  const betas = listBetas(headers['anthropic-beta'])
  const beta = betas.length === 0 ? {} : { anthropic_beta: betas }
  const guard =
    id === undefined
      ? {}
      : { 'x-amzn-bedrock-guardrailidentifier': id, 'x-amzn-bedrock-guardrailversion': version }
  return {
    body: { modelReplacement: { anthropic_version: ANTHROPIC_VERSION, ...beta }, isStreamInPath: true },
    headers: guard,
  }
}

/**
 * The betas that Bedrock accepts. It refuses a whole request for one unknown beta, and clients send the betas of
 * Anthropic's own service.
 */
const acceptedBetas: ReadonlySet<string> = new Set([
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'token-efficient-tools-2025-02-19',
  'interleaved-thinking-2025-05-14',
  'output-128k-2025-02-19',
  'dev-full-thinking-2025-05-14',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'tool-search-tool-2025-10-19',
  'tool-examples-2025-10-29',
])

function listBetas(header: string | undefined): readonly string[] {
  const names = header?.split(',').map((name) => name.trim()) ?? []
  return [...new Set(names)].filter((name) => acceptedBetas.has(name))
}

/** The region group of an inference profile, before its ID. */
const profile = /^(?:us|eu|apac|au|jp|ca|us-gov|global)\./

/** Skips keys that are not models: those of other services, and capacity that is rented by the hour. */
function readLitellmName(name: string): string | undefined {
  if (/^(?:\*\/|claude_platform\/|invoke\/|guardrails$)/.test(name)) return undefined
  return name.replace(/^bedrock_mantle\//, '')
}

/**
 * The names under which a price may be listed. A region or a profile may have its own prices. The profile's model comes
 * last, since a profile for any region costs the same. An ARN ends in the name, except for a profile that an operator
 * made, whose model is unknown.
 */
function priceNamesOf(model: string, { settings }: Channel): readonly string[] {
  const name = model.startsWith('arn:') ? model.slice(model.lastIndexOf('/') + 1) : model
  const region = settings?.['region']
  const base = name.replace(profile, '')
  return [...(region === undefined ? [] : [`${region}/${name}`]), name, ...(base === name ? [] : [base])]
}
