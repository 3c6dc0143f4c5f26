import { createHmac } from 'node:crypto'
import type { Config } from '../../config/config.ts'

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
