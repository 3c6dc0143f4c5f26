// Continue's core is built for a bundler: names of modules without their ending, a CommonJS variable, and a database of
// statistics whose native part needs an install script. This loads it as it is.
import { registerHooks } from 'node:module'

const noDatabase = `
  const done = (...given) => queueMicrotask(() => given.at(-1)(null, []))
  export default { Database: class { constructor(...given) { done(...given) } exec = done; all = done; run = done } }
`

Reflect.set(globalThis, '__dirname', import.meta.dirname)
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'sqlite3')
      return { url: `data:text/javascript,${encodeURIComponent(noDatabase)}`, shortCircuit: true }
    for (const ending of ['', '.js', '/index.js']) {
      try {
        return next(specifier + ending, context)
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    }
    return next(specifier, context)
  },
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
})

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /MODULE_NOT_FOUND|UNSUPPORTED_DIR_IMPORT/.test(code)
}
