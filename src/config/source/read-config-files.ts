import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Authorities, Channel } from '../../catalog/channel.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import type { TlsIdentity } from '../../kit/net/tls-identity.ts'
import { providerRegistry } from '../../providers/registry.ts'
import type { ConfigProblem } from '../config-error.ts'
import type { ConfigInput } from '../config-schema.ts'
import type { SoundConfig } from '../parse-config.ts'
import { findIdentityFault, holdsCertificates } from './find-identity-fault.ts'
import { readPlainFile } from './read-plain-file.ts'
import type { ConfigPath } from './read-yaml.ts'
import type { Variables } from './substitute-variables.ts'

/** The contents of the files that a configuration names. */
export interface ConfigFiles {
  readonly tls: TlsIdentity | undefined
  readonly channels: readonly Channel[]
  /** The certificates of `database.ca_file`. */
  readonly databaseAuthority?: string | undefined
}

export interface ReadFiles {
  readonly files: ConfigFiles
  /** The problems of the files. */
  readonly problems: readonly ConfigProblem[]
}

/** The context for reading the files that a configuration names. */
export interface FileContext {
  /** The base folder of relative paths. */
  readonly folder: string
  /** The environment, which shows where other programs store files that a channel may name. */
  readonly variables: Variables
}

/** Reads the files that a configuration names, from its valid parts. */
export async function readConfigFiles(
  sound: SoundConfig,
  { folder, variables }: FileContext,
): Promise<ReadFiles> {
  const problems: ConfigProblem[] = []
  const fail = (path: ConfigPath, message: string) =>
    void problems.push(sound.locate({ path, message }, 'value'))
  const read = (path: ConfigPath, name: string) => readNamedFile({ folder, name, path, fail })
  const reading = { folder, variables, isBroken: sound.isBroken, read, fail }

  const tls = await readIdentity(sound.input.tls, reading)
  const databaseAuthority = await readDatabaseAuthority(sound.input.database, reading)
  const channels: Channel[] = []
  const inputs = sound.input.channels ?? []
  const names = inputs.map(({ name }) => name)
  let next = 0
  for (const channel of sound.channels) {
    const index = names.indexOf(channel.name, next)
    next = index + 1
    const name = inputs[index]?.ca_file
    const resolved = { ...channel, ...(await resolveFiles(channel, index, reading)) }
    const authorities = name === undefined ? undefined : await readTrust(name, index, reading)
    channels.push({ ...resolved, authorities })
  }
  return { files: { tls, channels, databaseAuthority }, problems }
}

interface Reading extends FileContext {
  readonly isBroken: SoundConfig['isBroken']
  /** Reads a file. Undefined where it cannot be read, which is recorded as a problem. */
  readonly read: (path: ConfigPath, name: string) => Promise<string | undefined>
  readonly fail: (path: ConfigPath, message: string) => void
}

async function readIdentity(
  named: ConfigInput['tls'],
  { read, fail }: Reading,
): Promise<TlsIdentity | undefined> {
  if (named === undefined) return undefined
  const cert = await read(['tls', 'cert'], named.cert)
  const key = await read(['tls', 'key'], named.key)
  if (cert === undefined || key === undefined) return undefined
  const fault = findIdentityFault({ cert, key })
  if (fault !== undefined) fail(['tls', fault.part], fault.message)
  return { cert, key }
}

async function readDatabaseAuthority(
  database: ConfigInput['database'],
  { read, fail }: Reading,
): Promise<string | undefined> {
  if (database?.ca_file === undefined) return undefined
  const path = ['database', 'ca_file']
  const pem = await read(path, database.ca_file)
  if (pem !== undefined && !holdsCertificates(pem)) fail(path, noCertificate)
  return pem
}

const noCertificate = 'the file holds no certificate in PEM that can be read'

async function readTrust(
  name: string,
  index: number,
  { read, fail }: Reading,
): Promise<Authorities | undefined> {
  const path = ['channels', index, 'ca_file']
  const pem = await read(path, name)
  if (pem === undefined) return undefined
  if (!holdsCertificates(pem)) fail(path, noCertificate)
  return { id: createHash('sha256').update(pem).digest('base64url'), pem }
}

/** Checks files that a provider reads itself when it needs them. A missing or unusable file is reported now. */
async function resolveFiles(
  channel: Channel,
  index: number,
  reading: Reading,
): Promise<Pick<Channel, 'settings'>> {
  const { provider, settings } = channel
  const files = (providerRegistry.find(provider)?.settings ?? []).filter(({ isFile }) => isFile === true)
  const resolved: Record<string, string> = {}
  for (const { name } of files) {
    const file = settings?.[name]
    if (file === undefined) continue
    const text = await reading.read(['channels', index, 'credentials', name], file)
    if (text === undefined) return {}
    resolved[name] = resolve(reading.folder, file)
  }
  const withFiles = settings === undefined ? {} : { settings: { ...settings, ...resolved } }
  await findFault({ ...channel, ...withFiles }, index, reading)
  return withFiles
}

/**
 * Finds a fault of the provider's settings. A provider checks its credentials together, so it cannot do so where one of
 * them is broken.
 */
async function findFault(channel: Channel, index: number, reading: Reading): Promise<void> {
  const { variables, isBroken, fail } = reading
  const path = ['channels', index, 'credentials']
  if (isBroken(path)) return
  const provider = providerRegistry.find(channel.provider)
  const fault = await provider?.findSettingFault?.(channel, { variables, readText: readOptionalFile })
  if (fault !== undefined) fail([...path, fault.name], fault.message)
}

interface NamedFile {
  readonly folder: string
  readonly name: string
  readonly path: ConfigPath
  readonly fail: (path: ConfigPath, message: string) => void
}

async function readNamedFile({ folder, name, path, fail }: NamedFile): Promise<string | undefined> {
  const fullPath = resolve(folder, name)
  const file = await readPlainFile(fullPath)
  if (file.type === 'text') return file.text
  fail(path, `${file.reason} ${fullPath}`)
  return undefined
}

/** Reads a file that other programs store on the machine. Undefined where the file does not exist. */
export async function readOptionalFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
