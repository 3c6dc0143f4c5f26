import { ConfigError } from '../../src/config/config-error.ts'
import { type ParsedConfig, parseConfig } from '../../src/config/parse-config.ts'
import type { Variables } from '../../src/config/source/substitute-variables.ts'
import { providerRegistry } from '../../src/providers/registry.ts'

/** Parses text as a file that is called `headgate.yaml`. */
export function parseYamlConfig(text: string, variables: Variables = {}, folder = '/'): ParsedConfig {
  return parseConfig({ text, file: 'headgate.yaml' }, { variables, folder }, providerRegistry)
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
