import { currentLanguage, languages, t } from '../language/language.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { useShell } from './shell-context.ts'
import { chooseTheme, themes, useTheme } from './theme.ts'

const languageNames = { en: 'English', zh: '简体中文' } as const

/** The languages, each by its own name. */
export function useLanguageItems(): readonly MenuItem[] {
  const { changeLanguage } = useShell()
  return languages.map((each) => ({
    label: languageNames[each],
    isChosen: currentLanguage() === each,
    run: () => changeLanguage(each),
  }))
}

/** Theme and language, also before the sign-in. */
export function DisplayMenu() {
  const theme = useTheme()
  const languageItems = useLanguageItems()
  return (
    <Menu
      trigger={<IconButton icon={theme === 'dark' ? 'moon' : 'sun'} label={t('display.label')} />}
      sections={[
        themes.map((each) => ({
          label: t(`display.theme.${each}`),
          isChosen: theme === each,
          run: () => chooseTheme(each),
        })),
        languageItems,
      ]}
    />
  )
}
