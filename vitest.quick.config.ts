import { defineConfig } from 'vitest/config'
import whole from './vitest.config.ts'

const { projects: _, ...settings } = whole.test ?? {}

/** A choice of the tests for while you work: `npm run test:quick`. CI runs all of them by `npm test`. */
export default defineConfig({
  ...whole,
  test: {
    ...settings,
    // Files of one worker share what they import, which is most of the time of a short test.
    isolate: false,
    include: [
      'src/**/*.test.ts',
      'test/{architecture,docs,providers-doc}.test.ts',
      'test/e2e/{demo,openai-sdk,wrong-requests}.test.ts',
    ],
    exclude: [
      'node_modules/**',
      // Laws over thousands of drawn requests, and recordings that a clone does not have.
      'src/**/*-laws.test.ts',
      'src/**/recorded-*.test.ts',
      // Wait for real disks, processes and broken connections.
      'src/storage/request-log/request-log-sql.test.ts',
      'src/request-log/stored-log.test.ts',
      'src/app/data-folder-backup.test.ts',
    ],
  },
})
