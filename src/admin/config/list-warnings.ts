import type { ConfigState } from './live-config.ts'

/** The warnings about the configuration in force, a line each. */
export function listWarnings({ newest, serving, config, problems }: ConfigState): readonly string[] {
  const messages = problems.map(({ path, message }) => `${path}: ${message}`)
  if (newest === serving) return [...config.warnings, ...messages.map((problem) => `admin API: ${problem}`)]
  const instead = serving.number === 0 ? 'the file serves alone' : `version ${serving.number} serves`
  const reason = messages.join('; ')
  return [
    `version ${newest.number} of what the admin API keeps cannot be used, so ${instead}: ${reason}`,
    ...config.warnings,
  ]
}
