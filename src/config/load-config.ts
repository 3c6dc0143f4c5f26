import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type ListenAddress, listenAddressSchema } from '../kit/listen-address-schema.ts'
import type { ProviderRegistry } from '../providers/provider.ts'
import { providerRegistry } from '../providers/registry.ts'
import { checkEnvironment } from './check-environment.ts'
import { checkListeners } from './check-listeners.ts'
import type { Config, ConfigSource } from './config.ts'
import { ConfigError, type ConfigProblem } from './config-error.ts'
import { discoverChannels, type Probe } from './discover-channels.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { type ParsedConfig, parseConfig, parseConfigValue } from './parse-config.ts'
import { probeServer } from './probe-server.ts'
import { readConfigFiles } from './read-config-files.ts'
import { DEFAULT_LISTEN, settleConfig } from './settle-config.ts'

/** The command line's flags; they win over the environment, and it over the file. */
export interface ConfigFlags {
  readonly config?: string | undefined
  readonly listen?: string | undefined
  readonly data?: string | undefined
}

export interface LoadParts {
  readonly flags: ConfigFlags
  readonly environment: Environment
  /** Relative paths count from here. */
  readonly workingFolder: string
  readonly registry: ProviderRegistry
  readonly probe: Probe
}

/** Used when neither flag nor environment names a file and it is there. */
export const DEFAULT_FILE = 'headgate.yaml'

/** The parts as they are outside of tests. */
export function systemLoadParts(flags: ConfigFlags): LoadParts {
  return {
    flags,
    environment: readEnvironment(),
    workingFolder: process.cwd(),
    registry: providerRegistry,
    probe: probeServer,
  }
}

/** Reads, checks and resolves the whole configuration. Rejects with `ConfigError`. */
export async function loadConfig(parts: LoadParts): Promise<Config> {
  const { flags, environment, workingFolder } = parts
  const listen = readOuterListen(flags, environment)
  const data = flags.data ?? environment.dataFolder
  const outer = { ...(listen && { listen }), ...(data !== undefined && { data }) }
  const { parsed, source } = await readSource(parts, listen ?? DEFAULT_LISTEN)
  const folder = source.type === 'file' ? dirname(resolve(workingFolder, source.path)) : workingFolder
  const files = await readConfigFiles(parsed, { folder, variables: environment.variables })
  const config = settleConfig({ parsed, source, files, environment, outer, workingFolder })
  const problems = checkListeners(config).map((problem) => parsed.place(problem, 'value'))
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

interface Read {
  readonly parsed: ParsedConfig
  readonly source: ConfigSource
}

async function readSource(
  { flags, environment, workingFolder, registry, probe }: LoadParts,
  listen: ListenAddress,
): Promise<Read> {
  const { variables } = environment
  const askedFor = flags.config ?? environment.configPath
  const path = askedFor ?? DEFAULT_FILE
  const text = await readText(resolve(workingFolder, path), { path, isOptional: askedFor === undefined })
  if (text === undefined) {
    const { channels, warnings } = await discoverChannels({ variables, registry, probe, listen })
    const source = { type: 'discovered', ...(warnings.length > 0 && { warnings }) } as const
    return { parsed: parseConfigValue({ channels }, registry), source }
  }
  const substitutes = { variables, folder: dirname(resolve(workingFolder, path)) }
  return { parsed: parseConfig({ text, file: path }, substitutes, registry), source: { type: 'file', path } }
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder; name the file in it',
  EACCES: 'the file may not be read by this user; give it the right to',
}

/** Undefined where no file was asked for and the usual one is not there. */
async function readText(
  fullPath: string,
  { path, isOptional }: { readonly path: string; readonly isOptional: boolean },
): Promise<string | undefined> {
  try {
    return await readFile(fullPath, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    if (code === 'ENOENT' && isOptional) return undefined
    const message = unreadable[code] ?? `the file cannot be read (${code})`
    throw new ConfigError([{ file: path, path: '', message }])
  }
}

/** What flag or environment say of the listener, over the file. Throws for what the environment may not say. */
function readOuterListen(flags: ConfigFlags, environment: Environment): ListenAddress | undefined {
  const problems: ConfigProblem[] = [...checkEnvironment(environment)]
  const text = flags.listen ?? environment.listen
  const listen = text === undefined ? undefined : listenAddressSchema.safeParse(text)
  if (listen?.success === false) {
    const path = flags.listen === undefined ? 'HEADGATE_LISTEN' : '--listen'
    problems.push({ path, message: listen.error.issues[0]?.message ?? '' })
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return listen?.data
}
