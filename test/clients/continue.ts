import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAgent } from './create-agent.ts'
import { documentedSettings } from './documented-settings.ts'

/** Continue's `cn`, as https://docs.continue.dev/reference describes its settings (seen 2026-11-20). */
export const continueCli = createAgent({
  name: 'continue',
  formats: ['chat', 'messages'],
  prepare(job) {
    const file = join(job.home, 'continue.yaml')
    writeFileSync(file, documentedSettings('Continue', 'yaml', job))
    return {
      file: process.execPath,
      args: [
        join(job.packages, '@continuedev/cli/dist/cn.js'),
        ...['--config', file],
        '--auto',
        ...['-p', job.prompt],
      ],
      environment: { CONTINUE_METRICS_ENABLED: '0', CONTINUE_CLI_AUTO_UPDATED: 'true' },
    }
  },
})
