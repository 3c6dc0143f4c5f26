import { writeConfigWarning } from '../../config/config-warning.ts'
import type { ConfigState } from './live-config.ts'

/** The warnings about the configuration in force, a line each. */
export function listWarnings({ newest, serving, config, problems }: ConfigState): readonly string[] {
  const warnings = config.warnings.map(writeConfigWarning)
  const messages = problems.map(({ path, message }) => `${path}: ${message}`)
  if (newest === serving) return [...warnings, ...messages.map((problem) => `admin API: ${problem}`)]
  const instead = serving.number === 0 ? 'the file serves alone' : `version ${serving.number} serves`
  const reason = messages.join('; ')
  return [
    `version ${newest.number} of what the admin API keeps cannot be used, so ${instead}: ${reason}`,
    ...warnings,
  ]
}
