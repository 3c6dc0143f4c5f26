import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/**
 * Puts the script that sets the theme in front of everything else, so that no page shows in the wrong one first. It is
 * a file like all others, since the page may hold no script of its own.
 */
function themeFirst(): Plugin {
  let reference = ''
  return {
    name: 'theme-first',
    apply: 'build',
    buildStart() {
      const source = readFileSync(join(import.meta.dirname, 'src/theme-first.js'), 'utf8')
      reference = this.emitFile({ type: 'asset', name: 'theme.js', source })
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_page, { bundle }) => {
        const file = Object.values(bundle ?? {}).find(({ fileName }) => /theme-[\w-]+\.js$/.test(fileName))
        if (reference === '' || file === undefined) return []
        return [{ tag: 'script', attrs: { src: `./${file.fileName}` }, injectTo: 'head-prepend' }]
      },
    },
  }
}

export default defineConfig({
  root: import.meta.dirname,
  // Everything is named relative to where the console begins, which the gateway writes into the page.
  base: './',
  plugins: [react(), tailwindcss(), themeFirst()],
  build: {
    target: 'es2023',
    // An asset inside a style would be one that the policy of the page refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Modules run in the order in which they are imported, whichever file they are in.
    rolldownOptions: { output: { strictExecutionOrder: true } },
    sourcemap: false,
    reportCompressedSize: false,
  },
})
