import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { OperatorError } from '../canonical/operator-error.ts'
import { errorCodeOf } from '../kit/errors/error-code.ts'
import { reasonOf } from '../kit/errors/reason-of.ts'
import { type ListenAddress, listenAddressSchema } from '../kit/net/listen-address-schema.ts'
import type { ProviderRegistry } from '../providers/provider.ts'
import { providerRegistry } from '../providers/registry.ts'
import { checkDatabaseSecret, checkEnvironment, checkListeners } from './check/check-environment.ts'
import type { Config, ConfigSource } from './config.ts'
import { ConfigError, type ConfigProblem } from './config-error.ts'
import { discoverChannels, type Probe } from './discovery/discover-channels.ts'
import { probeServer } from './discovery/probe-server.ts'
import { mergeProblems } from './merge-problems.ts'
import { type ExaminedConfig, examineConfig, examineConfigValue } from './parse-config.ts'
import { DEFAULT_LISTEN, resolveConfig, resolveListeners } from './resolve-config.ts'
import { type Environment, readEnvironment } from './source/environment.ts'
import { readConfigFiles } from './source/read-config-files.ts'
import { readWorkers, WORKERS_EXPLANATION } from './workers-schema.ts'

/** The command line's flags. Flags override the environment, and the environment overrides the file. */
export interface ConfigFlags {
  readonly config?: string | undefined
  readonly listen?: string | undefined
  readonly data?: string | undefined
  readonly workers?: string | undefined
}

export interface LoadInput {
  readonly flags: ConfigFlags
  readonly environment: Environment
  /** The base folder of relative paths. */
  readonly workingFolder: string
  readonly registry: ProviderRegistry
  readonly probe: Probe
}

/** The file that is used if it exists and neither a flag nor the environment names a file. */
export const DEFAULT_FILE = 'headgate.yaml'

/** The inputs of the real system, outside of tests. */
export function systemLoadInput(flags: ConfigFlags): LoadInput {
  return {
    flags,
    environment: readEnvironment(),
    workingFolder: readWorkingFolder(),
    registry: providerRegistry,
    probe: probeServer,
  }
}

function readWorkingFolder(): string {
  try {
    return process.cwd()
  } catch (cause) {
    const happened = `the working folder cannot be found (${errorCodeOf(cause) ?? reasonOf(cause)})`
    const advice = 'it may have been deleted; change to another folder, then run the command again'
    throw new OperatorError('file_unreadable', happened, { advice })
  }
}

/**
 * The input of a later load. A process that runs by a file needs that file again, also by its default name: without it
 * the environment would decide, and callers would lose their keys and reach other channels.
 */
export function inputOfReload(input: LoadInput, { source }: Pick<Config, 'source'>): LoadInput {
  return source.type === 'file' ? { ...input, flags: { ...input.flags, config: source.path } } : input
}

/** Reads, checks and resolves the whole configuration. Rejects with a `ConfigError` that lists all problems. */
export async function loadConfig(input: LoadInput): Promise<Config> {
  const { flags, environment, workingFolder } = input
  const { listen, problems: ofListen } = readOuterListen(flags, environment)
  const data = flags.data ?? environment.dataFolder
  const workersText = flags.workers ?? environment.workers
  const workers = workersText === undefined ? undefined : readWorkers(workersText)
  const outer = {
    ...(listen && { listen }),
    ...(data !== undefined && { data }),
    ...(workers !== undefined && { workers }),
  }
  const ofWorkers = workersText === undefined || workers !== undefined ? [] : [describeWorkers(flags.workers)]
  const ofOuter = [...checkEnvironment(environment), ...ofListen, ...ofWorkers]
  const { examined, source } = await readSource(input, listen ?? DEFAULT_LISTEN).catch((error: unknown) => {
    throw joinProblems(ofOuter, error)
  })
  const { sound } = examined
  const folder = source.type === 'file' ? dirname(resolve(workingFolder, source.path)) : workingFolder
  const { files, problems: ofFiles } = await readConfigFiles(sound, {
    folder,
    variables: environment.variables,
  })
  const isListenKnown = ofListen.length === 0 && (listen !== undefined || !sound.isBroken(['listen']))
  const ofListeners = isListenKnown ? checkListeners(resolveListeners(sound.input, outer)) : []
  const problems = mergeProblems([
    ...ofOuter,
    ...examined.problems,
    ...checkDatabaseSecret(environment.databaseUrl ?? sound.input.database_url, environment),
    ...ofFiles,
    ...ofListeners.map((problem) => sound.locate(problem, 'value')),
  ])
  if (problems.length > 0) throw new ConfigError(problems)
  return resolveConfig({ parsed: sound, source, files, environment, outer, workingFolder })
}

/** Adds the problems of flags and the environment to those of a file that cannot be read. */
function joinProblems(around: readonly ConfigProblem[], error: unknown): unknown {
  return error instanceof ConfigError ? new ConfigError(mergeProblems([...around, ...error.problems])) : error
}

interface Read {
  readonly examined: ExaminedConfig
  readonly source: ConfigSource
}

async function readSource(
  { flags, environment, workingFolder, registry, probe }: LoadInput,
  listen: ListenAddress,
): Promise<Read> {
  const { variables } = environment
  const configPath = flags.config ?? environment.configPath
  const path = configPath ?? DEFAULT_FILE
  const text = await readText(resolve(workingFolder, path), { path, isOptional: configPath === undefined })
  if (text === undefined) {
    const { channels, warnings } = await discoverChannels({ variables, registry, probe, listen })
    const source = { type: 'discovered', ...(warnings.length > 0 && { warnings }) } as const
    return { examined: examineConfigValue({ channels }, registry), source }
  }
  const substitutes = { variables, folder: dirname(resolve(workingFolder, path)) }
  return {
    examined: examineConfig({ text, file: path }, substitutes, registry),
    source: { type: 'file', path },
  }
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder; name the file in it',
  EACCES: 'the file may not be read by this user; give it the right to',
}

/** Reads the file's text. Undefined where no file was named and the default file does not exist. */
async function readText(
  fullPath: string,
  { path, isOptional }: { readonly path: string; readonly isOptional: boolean },
): Promise<string | undefined> {
  try {
    return await readFile(fullPath, 'utf8')
  } catch (cause) {
    const code = errorCodeOf(cause) ?? 'unknown error'
    if (code === 'ENOENT' && isOptional) return undefined
    const message = unreadable[code] ?? `the file cannot be read (${code})`
    throw new ConfigError([{ file: path, path: '', message }])
  }
}

interface OuterListen {
  /** Undefined where the setting is absent or invalid. */
  readonly listen: ListenAddress | undefined
  readonly problems: readonly ConfigProblem[]
}

/** Reads the listener's address from a flag or the environment, which override the file. */
function readOuterListen(flags: ConfigFlags, environment: Environment): OuterListen {
  const text = flags.listen ?? environment.listen
  if (text === undefined) return { listen: undefined, problems: [] }
  const { success, data, error } = listenAddressSchema.safeParse(text)
  if (success) return { listen: data, problems: [] }
  const path = flags.listen === undefined ? 'HEADGATE_LISTEN' : '--listen'
  return { listen: undefined, problems: [{ path, message: error.issues[0]?.message ?? '' }] }
}

function describeWorkers(flag: string | undefined): ConfigProblem {
  const path = flag === undefined ? 'HEADGATE_WORKERS' : '--workers'
  return { path, message: WORKERS_EXPLANATION }
}
