import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Every gateway that a test opens starts a thread, which would compile its modules anew.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/clients/**', 'test/long/**', 'node_modules/**'],
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 20_000,
    reporters: ['default', './test/support/closing-line-reporter.ts'],
  },
})
