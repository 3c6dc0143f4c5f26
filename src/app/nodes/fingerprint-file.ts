import { createHmac } from 'node:crypto'
import type { Config } from '../../config/config.ts'

const SHOWN_DIGITS = 16

/** The settings in which nodes that serve the same may differ. */
const ownSettings: ReadonlySet<string> = new Set(['listen', 'data'])

/**
 * A mark of a configuration file, the same on all nodes whose files say the same. It is keyed, since operators see it:
 * nobody may find a secret of the file by trying marks.
 */
export function fingerprintFile({ file }: Pick<Config, 'file'>, secret: string): string {
  const text = JSON.stringify(Object.entries(file.value).filter(([name]) => !ownSettings.has(name)))
  return createHmac('sha256', secret)
    .update('headgate file ')
    .update(text)
    .digest('hex')
    .slice(0, SHOWN_DIGITS)
}
