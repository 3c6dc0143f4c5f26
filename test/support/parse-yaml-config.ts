import { ConfigError } from '../../src/config/config-error.ts'
import { mergeProblems } from '../../src/config/merge-problems.ts'
import {
  type ExaminedConfig,
  examineConfig,
  examineConfigValue,
  type ParsedConfig,
} from '../../src/config/parse-config.ts'
import type { Variables } from '../../src/config/source/substitute-variables.ts'
import { providerRegistry } from '../../src/providers/registry.ts'

/** Parses text as a file that is called `headgate.yaml`. */
export function parseYamlConfig(text: string, variables: Variables = {}, folder = '/'): ParsedConfig {
  return requireSound(examineConfig({ text, file: 'headgate.yaml' }, { variables, folder }, providerRegistry))
}

/** Parses a configuration that was built in code. */
export function parseConfigValue(value: unknown): ParsedConfig {
  return requireSound(examineConfigValue(value, providerRegistry))
}

function requireSound({ problems, sound }: ExaminedConfig): ParsedConfig {
  if (problems.length > 0) throw new ConfigError(mergeProblems(problems))
  return sound
}

/** The lines with which text is refused. */
export function configErrorOf(text: string): string {
  try {
    parseYamlConfig(text)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'no error'
}
