import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { Authorities, Channel } from '../catalog/channel.ts'
import { providerRegistry } from '../providers/registry.ts'
import type { TlsIdentity } from './config.ts'
import { ConfigError, type ConfigProblem } from './config-error.ts'
import type { ParsedConfig } from './parse-config.ts'
import { readPlainFile } from './read-plain-file.ts'
import type { ConfigPath } from './read-yaml.ts'
import type { Variables } from './substitute-variables.ts'

/** What the files hold that a configuration names. */
export interface ConfigFiles {
  readonly tls: TlsIdentity | undefined
  readonly channels: readonly Channel[]
}

/** Where the files are that a configuration names. */
export interface FilePlace {
  /** Relative paths count from here. */
  readonly folder: string
  /** The environment, which says where other programs keep what a channel may name. */
  readonly variables: Variables
}

/** Reads the files that a configuration names. Rejects with `ConfigError`. */
export async function readConfigFiles(
  parsed: ParsedConfig,
  { folder, variables }: FilePlace,
): Promise<ConfigFiles> {
  const problems: ConfigProblem[] = []
  const fail = (path: ConfigPath, message: string) =>
    void problems.push(parsed.place({ path, message }, 'value'))
  const read = (path: ConfigPath, name: string) => readNamedFile({ folder, name, path, fail })

  const tls = await readIdentity()
  const channels: Channel[] = []
  for (const channel of parsed.channels) {
    const index = parsed.input.channels?.findIndex(({ name }) => name === channel.name) ?? -1
    const name = parsed.input.channels?.[index]?.ca_file
    const settled = { ...channel, ...(await resolveFiles(channel, index)) }
    channels.push(name === undefined ? settled : { ...settled, authorities: await readTrust(index, name) })
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { tls, channels }

  async function readIdentity(): Promise<TlsIdentity | undefined> {
    const named = parsed.input.tls
    if (named === undefined) return undefined
    const cert = await read(['tls', 'cert'], named.cert)
    const key = await read(['tls', 'key'], named.key)
    if (cert === undefined || key === undefined) return undefined
    const fault = findIdentityFault({ cert, key })
    if (fault !== undefined) fail(['tls', fault.part], fault.message)
    return { cert, key }
  }

  async function readTrust(index: number, name: string): Promise<Authorities | undefined> {
    const path = ['channels', index, 'ca_file']
    const pem = await read(path, name)
    if (pem === undefined) return undefined
    if (!holdsCertificates(pem)) fail(path, 'the file holds no certificate in PEM that can be read')
    return { id: createHash('sha256').update(pem).digest('base64url'), pem }
  }

  /** Files that a provider reads itself, when it needs them: that they are there, and can be used, is seen now. */
  async function resolveFiles(channel: Channel, index: number): Promise<Pick<Channel, 'settings'>> {
    const { provider, settings } = channel
    const files = (providerRegistry.find(provider)?.settings ?? []).filter(({ isFile }) => isFile === true)
    const resolved: Record<string, string> = {}
    for (const { name } of files) {
      const file = settings?.[name]
      if (file === undefined) continue
      const text = await read(['channels', index, 'credentials', name], file)
      if (text === undefined) return {}
      resolved[name] = resolve(folder, file)
    }
    const settled = settings === undefined ? {} : { settings: { ...settings, ...resolved } }
    await findFault({ ...channel, ...settled }, index)
    return settled
  }

  async function findFault(channel: Channel, index: number): Promise<void> {
    const provider = providerRegistry.find(channel.provider)
    const fault = await provider?.findSettingFault?.(channel, { variables, readText })
    if (fault !== undefined) fail(['channels', index, 'credentials', fault.name], fault.message)
  }
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

/** For what the machine keeps for other programs; undefined where there is no file. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

interface IdentityFault {
  readonly part: 'cert' | 'key'
  readonly message: string
}

function findIdentityFault({ cert, key }: TlsIdentity): IdentityFault | undefined {
  if (!holdsCertificates(cert)) {
    return { part: 'cert', message: 'the file holds no certificate in PEM that can be read' }
  }
  if (/^-----BEGIN ENCRYPTED|^Proc-Type:.*ENCRYPTED/m.test(key)) {
    return { part: 'key', message: 'the private key asks for a password; give one that does not' }
  }
  if (!isPrivateKey(key)) return { part: 'key', message: 'the file holds no private key in PEM' }
  if (!isAccepted({ cert, key })) {
    return { part: 'key', message: 'the private key is not that of the certificate in tls.cert' }
  }
  return undefined
}

function isPrivateKey(key: string): boolean {
  try {
    createPrivateKey(key)
    return true
  } catch {
    return false
  }
}

/** Whether the key is the certificate's, in the judgement of the library that will use both. */
function isAccepted(identity: TlsIdentity): boolean {
  try {
    createSecureContext(identity)
    return true
  } catch {
    return false
  }
}

function holdsCertificates(pem: string): boolean {
  const blocks = pem.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]+?-----END [^-]+-----/g) ?? []
  try {
    return blocks.length > 0 && blocks.every((block) => new X509Certificate(block).subject !== undefined)
  } catch {
    return false
  }
}
