/** What is typed into the search: the side bar of the reference shows only what fits it. */
import { createStore } from './store.ts';

export const searchPhrase = createStore('');
