import './browser/plain-schemas.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { chooseLanguage, speak } from './language/language.ts'
import { followTheme } from './shell/theme.ts'
import './styles.css'

const root = document.getElementById('root')
if (root !== null) {
  followTheme()
  await speak(chooseLanguage())
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
