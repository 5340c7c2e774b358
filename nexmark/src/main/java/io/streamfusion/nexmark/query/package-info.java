/**
 * The Nexmark queries as SQL text, their tables, their one user function, and the rows they are
 * known to give.
 */
package io.streamfusion.nexmark.query;
