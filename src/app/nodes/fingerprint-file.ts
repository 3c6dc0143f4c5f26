import { createHmac } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { createSecretFiles } from '../../storage/files/secret-files.ts'

const SHOWN_DIGITS = 16

/** The settings that may differ between nodes with the same behavior. */
const ownSettings: ReadonlySet<string> = new Set(['listen', 'data'])

/**
 * A fingerprint of a configuration file, which is the same on all nodes with the same settings. It is keyed, since
 * operators see it. Otherwise a secret in the file could be guessed by trying fingerprints.
 */
export function fingerprintFile({ file }: Pick<Config, 'file'>, secret: string): string {
  const text = JSON.stringify(Object.entries(file.value).filter(([name]) => !ownSettings.has(name)))
  return createHmac('sha256', secret)
    .update('headgate file ')
    .update(text)
    .digest('hex')
    .slice(0, SHOWN_DIGITS)
}

/**
 * The fingerprint of a process that has not opened its stores. It has the same key as all later ones: with another key
 * the processes of one file seem to have different files.
 */
export function fingerprintAtStart(config: Pick<Config, 'file' | 'secret' | 'dataFolder'>): string {
  const { secret, dataFolder } = config
  return fingerprintFile(config, secret ?? createSecretFiles(dataFolder, systemRandom).sealingSecret())
}
