import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FormatId, formatIds } from '../../canonical/format.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig, systemLoadInput } from '../../config/load-config.ts'
import { readEnvironment } from '../../config/source/environment.ts'
import { providerRegistry } from '../../providers/registry.ts'
import { warmUpModel } from './warm-up-requests.ts'

export interface WarmUpUpstream {
  readonly origin: string
  /** The certificate in PEM format; undefined for an upstream with plain HTTP. */
  readonly certificate: string | undefined
}

export interface WarmUpInput {
  /** The configuration in force. */
  readonly config: Config
  /** The folder of the warm-up's own gateway. */
  readonly folder: string
  /** The upstream of the warm-up's gateway. */
  readonly upstream: WarmUpUpstream
  /** Whether its models have prices, and its key has the kinds of limits that are in use. */
  readonly isCharged: boolean
  /** The secret of its only key. */
  readonly secret: string
}

const CERTIFICATE = 'upstream.crt'
/** These limits are far above the use of a warm-up, so that no request is refused. */
const LIMIT_USD = 1_000_000
const REQUESTS_PER_MINUTE = 100_000_000

/** The formats of the channels for which the warm-up has answers. */
export function findWarmUpFormats({ channels }: Pick<Config, 'channels'>): readonly FormatId[] {
  const used = new Set<string>(channels.map(({ format }) => format))
  return formatIds.filter((id) => used.has(id))
}

/** Whether callers' requests are sent to upstreams over TLS, for which Node runs other code. */
export function isWarmUpSecure({ channels }: Pick<Config, 'channels'>): boolean {
  return channels.some(({ baseUrl }) => baseUrl.startsWith('https:'))
}

/** Loads a configuration with one channel for each format in use, and limits of the kinds in use. */
export async function loadWarmUpConfig(input: WarmUpInput): Promise<Config> {
  const file = join(input.folder, 'headgate.yaml')
  const { certificate } = input.upstream
  if (certificate !== undefined) writeFileSync(join(input.folder, CERTIFICATE), certificate)
  writeFileSync(file, JSON.stringify(describeWarmUp(input)))
  return loadConfig({
    ...systemLoadInput({ config: file, data: input.folder }),
    environment: readEnvironment({}),
  })
}

function describeWarmUp({ config, folder, upstream, isCharged, secret }: WarmUpInput) {
  const formats = findWarmUpFormats(config)
  const price = isCharged ? { price: { input: 1, output: 2 } } : {}
  const models = formats.map((format) => [warmUpModel(format), price] as const)
  return {
    listen: '127.0.0.1:0',
    data: folder,
    admin: 'off',
    log: config.log,
    keys: [{ name: 'warm-up', secret, models: ['*'], ...(isCharged && describeLimits(config)) }],
    models: Object.fromEntries(models),
    channels: formats.map((format) => ({
      name: format,
      provider: findProvider(format),
      format,
      base_url: `${upstream.origin}/${format}/v1`,
      api_key: 'warm-up-of-this-gateway',
      allow_private: true,
      ...(upstream.certificate !== undefined && { ca_file: CERTIFICATE }),
      models: { [warmUpModel(format)]: 'warm-up' },
    })),
  }
}

/** Finds a provider of the format that needs only a key. */
function findProvider(format: FormatId): string | undefined {
  return providerRegistry.ids.find((id) => {
    const provider = providerRegistry.find(id)
    const isPlain = provider?.settings === undefined && provider?.createAuthorizer === undefined
    return isPlain && provider?.formats.includes(format)
  })
}

/** The terms of a key with the same kinds of limits as those of callers. */
function describeLimits({ budgets, groups, users, keys, rates }: Config) {
  const owners = [...groups, ...users, ...keys]
  const all = [...budgets.map(({ terms }) => terms), ...owners.flatMap((owner) => owner.budgets)]
  const mode = all.some((terms) => terms.mode === 'exact') ? 'exact' : 'estimate'
  const isLimited = rates.installation !== undefined || owners.some(({ rate }) => rate !== undefined)
  return {
    ...(all.length > 0 && { budgets: [{ limit_usd: LIMIT_USD, window: 'day', mode }] }),
    ...(isLimited && { rate: { rpm: REQUESTS_PER_MINUTE } }),
  }
}
