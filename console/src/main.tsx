import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { z } from 'zod'
import { App } from './app/app.tsx'
import { chooseLanguage, speak } from './language/language.ts'
import './styles.css'

// The library would look whether it may make code of texts, which the policy of the page refuses and reports.
z.config({ jitless: true })

const root = document.getElementById('root')
if (root !== null) {
  await speak(chooseLanguage())
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
