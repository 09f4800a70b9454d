// What the site looks like: its title, its side bar and its search.

const item = (text: string, link: string) => ({ text, link })

export default {
  title: 'Understudy',
  description: 'A mock of any HTTP API from its OpenAPI document, with state, and a rehearsal of its future.',
  lang: 'en',
  outDir: '../dist',
  vite: { build: { chunkSizeWarningLimit: 5000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      item('Guide', '/getting-started'),
      item('Reference', '/reference/configuration'),
      item('Contribute', '/contributing/architecture'),
      item('Changes', '/changelog'),
    ],
    sidebar: [
      {
        text: 'Begin',
        items: [
          item('Overview', '/readme'),
          item('Getting started', '/getting-started'),
          item('The pet store', '/recipes/petstore'),
        ],
      },
      {
        text: 'By subject',
        items: [
          item('Any OpenAPI document', '/openapi'),
          item('State', '/state'),
          item('States of a record', '/states'),
          item('Worlds and time', '/worlds-and-time'),
          item('Rehearse a sunset', '/sunset'),
          item('Weather', '/weather'),
          item('Rules and templates', '/rules'),
          item('The journal', '/journal'),
          item('Testing', '/testing'),
          item('The library', '/library'),
          item('In a browser', '/browsers'),
          item('The console', '/console'),
          item('Running it', '/operations'),
          item('Benchmarks', '/benchmarks'),
        ],
      },
      {
        text: 'Reference',
        items: [
          item('Configuration', '/reference/configuration'),
          item('Command line', '/reference/cli'),
          item('Control plane', '/reference/control-plane'),
          item('Refusals', '/reference/refusals'),
          item('Metrics', '/reference/metrics'),
        ],
      },
      {
        text: 'Contribute',
        items: [
          item('How to', '/contribute'),
          item('Architecture', '/contributing/architecture'),
          item('Adding a behaviour', '/contributing/adding-a-behaviour'),
          item('Adding a route', '/contributing/adding-a-route'),
          item('Tests', '/contributing/tests'),
          item('Style', '/contributing/style'),
          item('Releases', '/contributing/releases'),
          item('Decisions', '/decisions/'),
          item('Security', '/security'),
        ],
      },
    ],
  },
}
