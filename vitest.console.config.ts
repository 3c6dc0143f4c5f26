import { defineConfig } from 'vitest/config'
import whole from './vitest.config.ts'

const { projects: _, ...settings } = whole.test ?? {}

/** Every test of the console in Chromium: `npm run test:console`. */
export default defineConfig({
  ...whole,
  test: {
    ...settings,
    include: ['test/browser/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
