import type { Channel } from '../../catalog/channel.ts'
import { isClaude } from '../models/is-claude.ts'
import { openaiToolDollars } from '../models/openai-tool-dollars.ts'
import { pathSegment } from '../path-segment.ts'
import type { PathRequest, Provider } from '../provider.ts'
import { openai } from './openai.ts'

/** Dated versions belong to the classic addresses. `v1`, `preview` and `latest` belong to the newer ones. */
const DATED = /^\d{4}-\d{2}-\d{2}(-preview)?$/

/**
 * A resource of Azure OpenAI, by its address `https://RESOURCE.openai.azure.com`. Model names are the names of
 * deployments, which no list has. Without an API version, or with one that is not a date, the v1 surface is used, which
 * has the deployment in the body. With a dated version the classic surface is used, which has the deployment in the
 * path. An address that ends in `/openai/v1` or `/models` (Azure AI model inference) is used unchanged.
 */
export const azureOpenai: Provider = {
  id: 'azure-openai',
  formats: ['chat'],
  auth: 'api-key',
  needsKey: true,
  settings: [
    {
      name: 'api_version',
      pattern: /^(\d{4}-\d{2}-\d{2}(-preview)?|v1|preview|latest)$/,
      form: 'a version of the API, such as "2024-10-21" (in quotes) or "preview"',
    },
  ],
  pathOf,
  // These fields read any search index that the resource can read, for any caller.
  steeringFields: ['data_sources', 'datasources'],
  endpoints: {
    completions: (model) => openai.endpoints?.completions?.(model) ?? false,
    embeddings: { maxInputs: 2_048, base64: true },
    images: 'as-is',
    transcriptions: 'as-is',
    translations: 'as-is-whole',
    speech: 'as-is',
    batches: { pathOf: objectPathOf, checksFiles: true },
    realtime: { pathOf: realtimePath },
  },
  // Deployments are often named after their models. Otherwise the operator states what the model accepts.
  // Versions of the API before `v1` refuse fields that they do not know.
  dialect: (model) => ({ ...openai.dialect(model), sharedFields: [] }),
  prices: {
    toolDollars: openaiToolDollars,
    litellm: ['azure', 'azure_text', 'azure_ai'],
    litellmPrefix: 'azure',
    readLitellmName,
    cachesMarkedOnly: isClaude,
  },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle',
      'https://learn.microsoft.com/azure/ai-foundry/openai/reference',
      'https://github.com/openai/openai-node/blob/HEAD/docs/azure.md',
      'https://learn.microsoft.com/azure/ai-foundry/openai/how-to/batch (seen 2026-11-25)',
    ],
  },
}

/** The path of files and batches, which belong to the resource and not to a deployment. */
function objectPathOf(path: string, { baseUrl, settings }: Channel): string {
  const version = settings?.['api_version']
  const query = version === undefined ? '' : `?api-version=${encodeURIComponent(version)}`
  if (baseUrl.endsWith('/openai/v1') || baseUrl.endsWith('/models')) return path + query
  const root = baseUrl.endsWith('/openai') ? '' : '/openai'
  return version !== undefined && DATED.test(version) ? `${root}${path}${query}` : `${root}/v1${path}${query}`
}

function pathOf({ path, upstreamModel, channel }: PathRequest): string {
  const { baseUrl, settings } = channel
  const version = settings?.['api_version']
  const query = version === undefined ? '' : `?api-version=${encodeURIComponent(version)}`
  if (baseUrl.endsWith('/openai/v1') || baseUrl.endsWith('/models')) return path + query
  const root = baseUrl.endsWith('/openai') ? '' : '/openai'
  if (version === undefined || !DATED.test(version)) return `${root}/v1${path}${query}`
  return `${root}/deployments/${pathSegment(upstreamModel)}${path}${query}`
}

/**
 * The path of realtime sessions. Only the v1 surface has the current events, whatever version the channel uses
 * elsewhere.
 */
function realtimePath({ channel, upstreamModel }: Pick<PathRequest, 'channel' | 'upstreamModel'>): string {
  const model = `model=${encodeURIComponent(upstreamModel)}`
  if (channel.baseUrl.endsWith('/openai/v1')) return `/realtime?${model}`
  return channel.baseUrl.endsWith('/openai') ? `/v1/realtime?${model}` : `/openai/v1/realtime?${model}`
}

/** Skips models of Azure AI, which have another prefix, and speech, which is not a model. */
function readLitellmName(name: string): string | undefined {
  return name.startsWith('speech/') ? undefined : name.replace(/^azure_ai\//, '')
}
