// What the site looks like: its title, its search and its side bar. A page that is in no list here comes last in its folder.

/** By heading: the folder, and its pages in the order in which they are read. */
const GROUPS = {
  Begin: { pages: ['readme', 'recipes/petstore'] },
  'By subject': {
    folder: '',
    pages: [
      ...[
        'openapi',
        'state',
        'states',
        'worlds-and-time',
        'sunset',
        'weather',
        'rules',
        'journal',
        'testing',
        'coverage',
        'library',
      ],
      ...['koa', 'browsers', 'console', 'console-api', 'operations', 'benchmarks'],
    ],
  },
  Recipes: { folder: 'recipes', pages: [] },
  Reference: {
    folder: 'reference',
    pages: ['configuration', 'cli', 'control-plane', 'refusals', 'metrics'].map(name => `reference/${name}`),
  },
  Contribute: {
    folder: 'contributing',
    pages: [
      'contribute',
      ...['architecture', 'adding-a-wing', 'tests', 'style', 'packages', 'releases'].map(
        name => `contributing/${name}`,
      ),
      ...['decisions/index', 'security'],
    ],
  },
}
/** Reached from the bar at the top, or from everywhere. */
const ELSEWHERE = ['index', 'changelog']

/** @param {ReadonlyMap<string, string>} titles by the path of a page without `.md` */
export function configure(titles) {
  const named = new Set([...ELSEWHERE, ...Object.values(GROUPS).flatMap(({ pages }) => pages)])
  const folderOf = path => path.slice(0, Math.max(0, path.lastIndexOf('/')))
  const others = folder => [...titles.keys()].filter(path => !named.has(path) && folderOf(path) === folder)
  const sidebar = Object.entries(GROUPS).map(([text, { folder, pages }]) => ({
    text,
    items: [...pages, ...(folder === undefined ? [] : others(folder))]
      .filter(path => titles.has(path))
      .map(path => ({
        text: path === 'readme' ? 'Overview' : titles.get(path),
        link: `/${path.replace(/index$/, '')}`,
      })),
  }))
  return {
    title: 'Understudy',
    description: 'A mock of any HTTP API from its OpenAPI document, with state, and a rehearsal of its future.',
    lang: 'en',
    outDir: '../dist',
    vite: { build: { chunkSizeWarningLimit: 5000 } },
    themeConfig: {
      search: { provider: 'local' },
      outline: [2, 3],
      nav: [
        { text: 'Guide', link: '/readme' },
        { text: 'Reference', link: '/reference/configuration' },
        { text: 'Contribute', link: '/contributing/architecture' },
        { text: 'Changes', link: '/changelog' },
      ],
      sidebar: sidebar.filter(({ items }) => items.length > 0),
    },
  }
}
