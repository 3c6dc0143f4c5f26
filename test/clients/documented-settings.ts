import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ClientJob } from './client.ts'

/** The parts of a job that stand in its settings. */
type SettingsJob = Pick<ClientJob, 'format' | 'gatewayUrl' | 'key' | 'model'>

/**
 * The settings that docs/clients.md gives for a client, with this job's address, key and model in them. Where a client
 * has two formats, the first block of the language is for the chat format and the second for the messages format.
 */
export function documentedSettings(
  heading: string,
  language: string,
  { format, gatewayUrl, key, model }: SettingsJob,
): string {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/clients.md'), 'utf8')
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const blocks = [...section.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))]
  const block = (format === 'messages' ? blocks[1] : undefined) ?? blocks[0]
  if (block?.[1] === undefined) throw new Error(`docs/clients.md has no ${language} for ${heading}`)
  return block[1]
    .replaceAll('http://127.0.0.1:8080', gatewayUrl)
    .replaceAll('sk-hg-…', key)
    .replaceAll('demo-chat', model)
}

/** The variables that a block of shell commands exports. */
export function documentedVariables(heading: string, job: SettingsJob): Record<string, string> {
  const lines = documentedSettings(heading, 'sh', job).matchAll(/^export (\w+)=(.*)$/gm)
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]))
}
