import { isJsonArray, isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import { checkDocument } from '../check/check-document.ts'
import { describeIssues } from '../check/describe-issues.ts'
import { findReservedNames } from '../check/find-reserved-names.ts'
import type { ConfigProblem } from '../config-error.ts'
import { configSchema } from '../config-schema.ts'
import type { PathProblem } from '../source/substitute-variables.ts'
import { writePath } from '../source/write-path.ts'

/** Settings that the admin API may store as a whole. A section that the file has belongs to the file. */
export const apiSettings = [
  'retry',
  'queue',
  'recovery',
  'heartbeat',
  'limits',
  'log',
  'rate',
  'unpriced',
  'alerts',
  'capture',
] as const

/**
 * The document that the admin API stores: those sections of the file that apply without a restart, with the same names.
 */
const apiDocumentSchema = configSchema.pick({
  channels: true,
  models: true,
  retry: true,
  queue: true,
  recovery: true,
  heartbeat: true,
  limits: true,
  log: true,
  groups: true,
  users: true,
  budgets: true,
  rate: true,
  unpriced: true,
  alerts: true,
  capture: true,
})

/** Finds all problems of the admin API's document by itself. */
export function checkApiDocument(
  document: JsonObject,
  registry: ProviderRegistry,
  mayReachPrivate: boolean,
): readonly ConfigProblem[] {
  const reserved = findReservedNames(document)
  const parsed = apiDocumentSchema.safeParse(document, { reportInput: true })
  if (!parsed.success)
    return [...reserved, ...describeIssues(parsed.error.issues).map(describeSection)].map(write)
  const { channels = [] } = parsed.data
  const reaching = mayReachPrivate
    ? []
    : [...channels.flatMap(findPrivate), ...findPrivateReceivers(document)]
  return [...reserved, ...checkDocument(parsed.data, registry), ...reaching].map(write)
}

function write({ path, message, fact }: PathProblem): ConfigProblem {
  return { path: writePath(path), message, fact, owner: 'api' }
}

function describeSection(problem: PathProblem): PathProblem {
  const [section] = problem.path
  const isFiles = problem.path.length === 1 && section !== undefined && section in configSchema.shape
  if (!isFiles || section in apiDocumentSchema.shape) return problem
  return {
    path: problem.path,
    message: 'belongs to the configuration file alone; write it there',
    fact: { code: 'file_only', values: {} },
  }
}

const privateByFileOnly = { code: 'private_by_file_only', values: {} } as const

function findPrivateReceivers({ alerts }: JsonObject): readonly PathProblem[] {
  if (!isJsonObject(alerts)) return []
  const message =
    'a receiver of the admin API may lead to a private network only where the configuration file says "admin: { allow_private: true }"'
  const fact = privateByFileOnly
  const receivers = isJsonArray(alerts['receivers']) ? alerts['receivers'] : []
  return [
    ...(alerts['allow_private'] === true ? [{ path: ['alerts', 'allow_private'], message, fact }] : []),
    ...receivers.flatMap((receiver, index): PathProblem[] =>
      isJsonObject(receiver) && receiver['allow_private'] === true
        ? [{ path: ['alerts', 'receivers', index, 'allow_private'], message, fact }]
        : [],
    ),
  ]
}

/** Finds destinations that only the file may set: the admin token must not open the network behind the gateway. */
function findPrivate(
  channel: { readonly allow_private?: boolean | undefined; readonly proxy?: string | undefined },
  index: number,
): readonly PathProblem[] {
  const advice = 'only where the configuration file says "admin: { allow_private: true }"'
  const problems: PathProblem[] = []
  const fact = privateByFileOnly
  if (channel.allow_private === true) {
    const message = `a channel of the admin API may lead to a private network ${advice}`
    problems.push({ path: ['channels', index, 'allow_private'], message, fact })
  }
  if (channel.proxy !== undefined) {
    const message = `a channel of the admin API may go through a proxy ${advice}`
    problems.push({ path: ['channels', index, 'proxy'], message, fact })
  }
  return problems
}
